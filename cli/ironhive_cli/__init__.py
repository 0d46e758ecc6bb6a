"""The command line: it renders what the SDK does, and holds no behaviour of its own."""
