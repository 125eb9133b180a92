"""What the whole package rests on: names that are imported late or refused, constants, helpers of classes."""
