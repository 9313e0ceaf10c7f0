package plugin

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/settings"
)

// called marks a context with what a request brings of who asks: its identity, so that
// what one user was answered is not used for another, and what no message may show. Every
// header that is sent on counts as identity, unless it is known to be harmless: a proxy may
// decide by the user's name or a tenant's. Grafana's own token is new every ten minutes; where
// Grafana has set it, it counts by whom it is about.
func (d *Datasource) called(ctx context.Context, headers http.Header) context.Context {
	return d.identified(ctx, headers, subject)
}

// calledByBrowser is called for a request whose headers a browser has written, among them
// perhaps a token that Grafana never made.
func (d *Datasource) calledByBrowser(ctx context.Context, headers http.Header) context.Context {
	login := ""
	if user := backend.UserFromContext(ctx); user != nil {
		login = user.Login
	}
	return d.identified(settings.FromBrowser(ctx, login), headers, func(token string) string { return token })
}

func (d *Datasource) identified(ctx context.Context, headers http.Header, whose func(token string) string) context.Context {
	caller := prom.Caller{}
	sum := sha256.New()
	forwarded := false
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		canonical := http.CanonicalHeaderKey(name)
		if settings.AboutTheCall[canonical] {
			continue
		}
		for _, value := range headers[name] {
			if secretHeaders[canonical] {
				caller.Secrets = append(caller.Secrets, secretsIn(canonical, value)...)
			}
			if !d.settings.Forwards(ctx, canonical, value) {
				continue
			}
			if canonical == settings.GrafanaToken {
				value = whose(value)
			}
			forwarded = true
			_, _ = sum.Write([]byte(canonical + ":" + value + "\n")) // a hash takes everything
		}
	}
	if forwarded {
		caller.Identity = hex.EncodeToString(sum.Sum(nil))
	}
	return prom.WithCaller(ctx, caller)
}

// secretHeaders are those of a request that prove who asks. Names of people and tenants are
// no secrets, and messages would be hard to read without them.
var secretHeaders = map[string]bool{
	"Authorization": true, "Cookie": true, "Proxy-Authorization": true, "X-Id-Token": true, settings.GrafanaToken: true,
}

// secretsIn are the parts of a forwarded header that a server may repeat by themselves.
func secretsIn(name, value string) []string {
	parts := []string{value}
	if name == "Cookie" {
		cookies, _ := http.ParseCookie(value) // what is no cookie is masked as a whole
		for _, c := range cookies {
			parts = append(parts, c.Value)
		}
		return parts
	}
	scheme, credentials, _ := strings.Cut(value, " ")
	if decoded, err := base64.StdEncoding.DecodeString(credentials); err == nil && strings.EqualFold(scheme, "Basic") {
		_, password, _ := strings.Cut(string(decoded), ":")
		parts = append(parts, password)
	}
	token := value[strings.LastIndex(value, " ")+1:]
	if pieces := strings.Split(token, "."); len(pieces) == 3 { // of a JWT, each is enough to tell something
		parts = append(parts, pieces...)
	}
	return parts
}

// subject is whom a token of Grafana is about; the token itself where it does not tell.
// Its signature is not looked at: the token has to come from Grafana.
func subject(token string) string {
	pieces := strings.Split(token, ".")
	if len(pieces) != 3 {
		return token
	}
	text, err := base64.RawURLEncoding.DecodeString(pieces[1])
	if err != nil {
		return token
	}
	var claims struct {
		Subject   string `json:"sub"`
		Namespace string `json:"namespace"`
	}
	if err := json.Unmarshal(text, &claims); err != nil || claims.Subject == "" {
		return token
	}
	return claims.Namespace + " " + claims.Subject
}
