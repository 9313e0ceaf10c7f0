package prom

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"slices"
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
		all = append(all, password, url.QueryEscape(password))
	}
	for _, values := range parameters {
		for _, value := range values {
			if len(value) >= shortest {
				all = append(all, value, url.QueryEscape(value))
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
				all = append(all, part, url.QueryEscape(part))
			}
		}
	}
	return all
}

// masked is a text with stars in place of every secret.
func (s secrets) masked(text string) string {
	// The longest first, so that one which contains another vanishes as a whole.
	longest := slices.SortedFunc(slices.Values(s), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(longest))
	for _, secret := range longest {
		pairs = append(pairs, secret, "***")
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// quotable makes another program's text fit to be shown to whoever asked.
func (c *Client) quotable(ctx context.Context, text string, longest int) string {
	hidden := slices.Concat(c.secrets, namedSecrets(callerOf(ctx).Secrets))
	return shortened(withoutURLSecrets(hidden.masked(text)), longest)
}

// withoutURLSecrets cuts login and query string from addresses in other
// programs' messages (a proxy's "Get \"http://user:pass@store?token=…\"").
func withoutURLSecrets(text string) string {
	return regexp.MustCompile(`(https?://)(?:[^\s/"'@]*@)?([^\s"'?]*)(?:\?[^\s"']*)?`).ReplaceAllString(text, "$1$2")
}

// shortened makes text fit for one line of a message: at most longest runes,
// without line breaks and control characters.
func shortened(text string, longest int) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	runes := []rune(text)
	if len(runes) <= longest {
		return text
	}
	return string(runes[:longest]) + "…"
}
