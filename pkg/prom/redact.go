package prom

import (
	"cmp"
	"context"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// secrets are values that must not be shown although a server may repeat them.
type secrets []string

// secretsOf are the password of the URL, the values of parameters, which may be
// tokens, and what the caller names. Short values are left out, else "5m" would vanish
// from every message.
func secretsOf(user *url.Userinfo, parameters url.Values, named []string) secrets {
	const shortest = 8
	all := namedSecrets(named)
	if password, ok := user.Password(); ok && password != "" {
		all = append(all, spellings(password)...)
	}
	for _, values := range parameters {
		for _, value := range values {
			if len(value) >= shortest {
				all = append(all, spellings(value)...)
			}
		}
	}
	return all
}

func namedSecrets(named []string) secrets {
	const shortest = 4
	var all secrets
	for _, value := range named {
		// A token is also one without its scheme ("Bearer …").
		for _, part := range []string{value, value[strings.LastIndex(value, " ")+1:]} {
			if len(part) >= shortest {
				all = append(all, spellings(part)...)
			}
		}
	}
	return all
}

// spellings are the ways in which programs write a text of theirs: as it is, in an address, in a
// page, between quotes of JSON or Go, and decoded where it came in an address' form.
func spellings(text string) []string {
	all := []string{text, url.QueryEscape(text), url.PathEscape(text), html.EscapeString(text)}
	if decoded, err := url.QueryUnescape(text); err == nil {
		all = append(all, decoded)
	}
	if encoded, err := json.Marshal(text); err == nil { // with <, > and & as \u003c and so on
		all = append(all, strings.Trim(string(encoded), `"`))
	}
	all = append(all, strings.Trim(strconv.Quote(text), `"`))
	slices.Sort(all)
	return slices.Compact(all)
}

// masked is a text with stars in place of every secret, and of the beginning of one where the
// text was cut within it.
func (s secrets) masked(text string) string {
	const stars, shortest = "***", 8
	// The longest first, so that one which contains another vanishes as a whole.
	longest := slices.SortedFunc(slices.Values(s), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(longest))
	for _, secret := range longest {
		pairs = append(pairs, secret, stars)
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	for _, secret := range longest {
		for n := min(len(secret)-1, len(text)); n >= shortest; n-- {
			if strings.HasSuffix(text, secret[:n]) {
				return text[:len(text)-n] + stars
			}
		}
	}
	return text
}

// quotable makes another program's text fit to be shown to whoever asked. Secrets are looked
// for before and after it is cleaned: what is taken out may have stood within one.
func (c *Client) quotable(ctx context.Context, text string, longest int) string {
	hidden := slices.Concat(c.secrets, namedSecrets(callerOf(ctx).Secrets))
	return cut(withoutURLSecrets(hidden.masked(clean(hidden.masked(text)))), longest)
}

// withoutURLSecrets cuts login and query string from addresses in other
// programs' messages (a proxy's "Get \"http://user:pass@store?token=…\"").
func withoutURLSecrets(text string) string {
	return regexp.MustCompile(`(https?://)(?:[^\s/"'@]*@)?([^\s"'?]*)(?:\?[^\s"']*)?`).ReplaceAllString(text, "$1$2")
}

// shortened makes text fit for one line of a message: at most longest runes, clean.
func shortened(text string, longest int) string { return cut(clean(text), longest) }

// clean takes out line breaks, control characters and what is no text.
func clean(text string) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(text, ""), unicode.IsSpace)
	for i, word := range words {
		words[i] = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return -1
			}
			return r
		}, word)
	}
	return strings.Join(words, " ")
}

func cut(text string, longest int) string {
	runes := []rune(text)
	if len(runes) <= longest {
		return text
	}
	return string(runes[:longest]) + "…"
}
