"""Work that takes its time beside what plays: bakes, films, comparisons and lessons, each in a process of its own."""
