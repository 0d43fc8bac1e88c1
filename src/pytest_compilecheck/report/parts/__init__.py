"""The parts of a report on one contract, each the lines of one matter."""
