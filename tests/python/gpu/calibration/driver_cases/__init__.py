"""What a driver is asked, by subject."""
