"""The commands of ``python -m warp``, each in a file; nothing else imports them."""
