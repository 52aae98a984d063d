"""Python source that is read, not run: files, trees and names; what the linter and the blame share."""
