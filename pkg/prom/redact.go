package prom

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// secretsOf replaces what must not be shown although a server may echo it: the
// password of the URL, the values of parameters, which may be tokens, and what the
// caller names. Short values are kept, else "5m" would vanish from every message.
func secretsOf(user *url.Userinfo, parameters url.Values, named []string) *strings.Replacer {
	const shortest = 8
	var secrets []string
	for _, value := range named {
		const shortestNamed = 4
		// A token is also one without its scheme ("Bearer …").
		for _, part := range []string{value, value[strings.LastIndex(value, " ")+1:]} {
			if len(part) >= shortestNamed {
				secrets = append(secrets, part, url.QueryEscape(part))
			}
		}
	}
	if password, ok := user.Password(); ok && password != "" {
		secrets = append(secrets, password, url.QueryEscape(password))
	}
	for _, values := range parameters {
		for _, value := range values {
			if len(value) >= shortest {
				secrets = append(secrets, value, url.QueryEscape(value))
			}
		}
	}
	// The longest first, so that one which contains another vanishes as a whole.
	slices.SortFunc(secrets, func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	var pairs []string
	for _, secret := range secrets {
		pairs = append(pairs, secret, "***")
	}
	return strings.NewReplacer(pairs...)
}

// quotable makes another program's text fit to be shown.
func (c *Client) quotable(text string, longest int) string {
	return shortened(withoutURLSecrets(c.secrets.Replace(text)), longest)
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
