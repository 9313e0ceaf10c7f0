// Package page holds the workbench's front end as it was built beside this file.
// Its source is in src/; what webpack makes of it is not part of the repository.
package page

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Built is the page, and whether it had been built when this program was.
func Built() (fs.FS, bool) {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		return dist, false
	}
	_, err = fs.Stat(files, "index.html")
	return files, err == nil
}
