package workbench

import (
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// index serves the page under every address that is not a file: which of its tabs
// is shown is the page's own business.
func (w *Workbench) index(out http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(out, "only GET", http.StatusMethodNotAllowed)
		return
	}
	text, err := fs.ReadFile(w.page, "index.html")
	if err != nil {
		http.Error(out, "The page is not part of this program. "+HowToBuild, http.StatusNotFound)
		return
	}
	if path.Ext(r.URL.Path) != "" {
		http.NotFound(out, r)
		return
	}
	out.Header().Set("Content-Type", "text/html; charset=utf-8")
	out.Header().Set("Cache-Control", "no-cache")
	_, _ = out.Write(text)
}

// public serves what the page loads.
type public struct{ page fs.FS }

// noIcon is drawn where Grafana's components name an icon that their package does
// not hold: an empty place is better than an error for each of them.
const noIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"></svg>`

func (p public) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path
	info, err := fs.Stat(p.page, name) // refuses names that lead elsewhere
	switch {
	case (err != nil) && strings.HasPrefix(name, "build/img/icons/") && path.Ext(name) == ".svg":
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = w.Write([]byte(noIcon))
		return
	case err != nil || info.IsDir():
		http.NotFound(w, r)
		return
	}
	if kept(name) {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		w.Header().Set("Cache-Control", "no-cache")
	}
	http.ServeFileFS(w, r, p.page, name)
}

// kept reports whether a file never changes under its name: bundles carry a hash
// of what is in them, icons and fonts come with the packages.
func kept(name string) bool {
	return strings.HasPrefix(name, "build/") || strings.HasPrefix(name, "fonts/")
}
