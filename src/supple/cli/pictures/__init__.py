"""Commands that draw: pictures, films and pages."""
