package grafana

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

// Server is a running Grafana and the login of its administrator.
type Server struct {
	URL             string
	login, password string
}

// Connect reaches a Grafana that has loaded the plugin.
func Connect(ctx context.Context, address, login, password string) (*Server, error) {
	s := &Server{URL: strings.TrimSuffix(address, "/"), login: login, password: password}
	var loaded []struct{ ID string }
	if err := s.ask(ctx, 0, http.MethodGet, "/api/plugins?type=datasource", nil, &loaded); err != nil {
		return nil, err
	}
	for _, l := range loaded {
		if l.ID == plugin.ID {
			return s, nil
		}
	}
	return nil, fmt.Errorf("the Grafana at %s has not loaded %s: its log says why", address, plugin.ID)
}

// ask has the administrator call the API, in an organisation unless it is 0.
func (s *Server) ask(ctx context.Context, org int64, method, path string, body, into any) error {
	u := &User{Login: s.login, base: s.URL, Client: http.DefaultClient}
	answer, err := u.ask(ctx, method, path, body, func(r *http.Request) {
		r.SetBasicAuth(s.login, s.password)
		if org != 0 {
			r.Header.Set("X-Grafana-Org-Id", strconv.FormatInt(org, 10))
		}
	})
	if err != nil {
		return err
	}
	if answer.Status != http.StatusOK && answer.Status != http.StatusCreated {
		return fmt.Errorf("%s %s as %s: status %d: %s", method, path, s.login, answer.Status, answer.Body)
	}
	return answer.Read(into)
}

// AddOrg makes an organisation and returns its number.
func (s *Server) AddOrg(ctx context.Context, name string) (int64, error) {
	var made struct{ OrgID int64 }
	err := s.ask(ctx, 0, http.MethodPost, "/api/orgs", map[string]any{"name": name}, &made)
	return made.OrgID, err
}

// RemoveOrg removes an organisation with its data sources.
func (s *Server) RemoveOrg(ctx context.Context, org int64) error {
	return s.ask(ctx, 0, http.MethodDelete, fmt.Sprintf("/api/orgs/%d", org), nil, nil)
}

// AddUser makes a user of an organisation, with the role Viewer, Editor or Admin
// there, and logs in.
func (s *Server) AddUser(ctx context.Context, org int64, login, role string) (*User, error) {
	const password = "a-password-of-tests"
	var made struct{ ID int64 }
	err := s.ask(ctx, 0, http.MethodPost, "/api/admin/users", map[string]any{
		"login": login, "name": login, "email": login + "@example.org", "password": password, "OrgId": org,
	}, &made)
	if err != nil {
		return nil, err
	}
	u := newUser(s.URL, login, made.ID)
	member := fmt.Sprintf("/api/orgs/%d/users/%d", org, made.ID)
	if err := s.ask(ctx, 0, http.MethodPatch, member, map[string]any{"role": role}, nil); err != nil {
		return u, err
	}
	return u, u.logIn(ctx, password)
}

// RemoveUser removes a user from every organisation.
func (s *Server) RemoveUser(ctx context.Context, u *User) error {
	return s.ask(ctx, 0, http.MethodDelete, fmt.Sprintf("/api/admin/users/%d", u.ID), nil, nil)
}

// Source is a data source of the plugin; what is empty is Grafana's default.
type Source struct {
	ID            int64             `json:"id,omitempty"`
	UID           string            `json:"uid,omitempty"`
	Name          string            `json:"name"`
	Type          string            `json:"type"`
	Access        string            `json:"access"`
	URL           string            `json:"url"`
	BasicAuth     bool              `json:"basicAuth,omitempty"`
	BasicAuthUser string            `json:"basicAuthUser,omitempty"`
	JSONData      map[string]any    `json:"jsonData,omitempty"`
	SecureData    map[string]string `json:"secureJsonData,omitempty"`
}

// AddSource makes a data source of an organisation and returns it with its ids.
func (s *Server) AddSource(ctx context.Context, org int64, source Source) (Source, error) {
	source.Type = plugin.ID
	if source.Access == "" {
		source.Access = "proxy"
	}
	var made struct {
		Datasource struct {
			ID  int64
			UID string
		}
	}
	err := s.ask(ctx, org, http.MethodPost, "/api/datasources", source, &made)
	source.ID, source.UID = made.Datasource.ID, made.Datasource.UID
	return source, err
}
