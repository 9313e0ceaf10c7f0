package bench

import (
	"fmt"
	"os"
	"strings"
)

// Replace writes text between the marks <!-- name --> and <!-- end of name --> of a
// page; everything else on it is written by hand.
func Replace(path, name, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("open the page of results: %w", err)
	}
	begin, end := fmt.Sprintf("<!-- %s -->\n", name), fmt.Sprintf("<!-- end of %s -->", name)
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s has no place for %q: it needs the lines %q and %q", path, name, strings.TrimSpace(begin), end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+text+"\n"+end+after), 0o644)
}

// Table is a Markdown table of rows that [Answers] gave.
func Table(rows ...string) string { return head + strings.Join(rows, "") }
