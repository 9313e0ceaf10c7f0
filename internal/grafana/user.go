package grafana

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"time"
)

// User is somebody who has logged in, as a browser does.
type User struct {
	Login  string
	ID     int64
	Client *http.Client // with the session's cookie; follows no redirect
	base   string
}

func newUser(base, login string, id int64) *User {
	jar, _ := cookiejar.New(nil) // has no error to return
	return &User{Login: login, ID: id, base: base, Client: &http.Client{
		Jar: jar, Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (u *User) logIn(ctx context.Context, password string) error {
	answer, err := u.Ask(ctx, http.MethodPost, "/login", map[string]any{"user": u.Login, "password": password})
	if err == nil && answer.Status != http.StatusOK {
		err = fmt.Errorf("log in as %s: status %d: %s", u.Login, answer.Status, answer.Body)
	}
	return err
}

// SetCookie gives the user's browser a cookie for Grafana's host.
func (u *User) SetCookie(name, value string) error {
	address, err := url.Parse(u.base)
	if err != nil {
		return fmt.Errorf("address of Grafana: %w", err)
	}
	u.Client.Jar.SetCookies(address, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
	return nil
}

// Answer is what Grafana answers.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Read decodes the body, unless into is nil.
func (a Answer) Read(into any) error {
	if into == nil {
		return nil
	}
	if err := json.Unmarshal([]byte(a.Body), into); err != nil {
		return fmt.Errorf("read Grafana's answer: %w: %s", err, a.Body)
	}
	return nil
}

// Ask calls Grafana's API. The path goes out as it is written; a body that is not
// nil is sent as JSON.
func (u *User) Ask(ctx context.Context, method, path string, body any) (Answer, error) {
	return u.ask(ctx, method, path, body, func(*http.Request) {})
}

func (u *User) ask(ctx context.Context, method, path string, body any, with func(*http.Request)) (Answer, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return Answer{}, fmt.Errorf("%s %s: %w", method, path, err)
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, u.base+path, bytes.NewReader(text))
	if err != nil {
		return Answer{}, fmt.Errorf("ask Grafana: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	with(request)
	response, err := u.Client.Do(request)
	if err != nil {
		return Answer{}, fmt.Errorf("ask Grafana as %s: %w", u.Login, err)
	}
	defer func() { _ = response.Body.Close() }()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		return Answer{}, fmt.Errorf("read Grafana's answer to %s %s: %w", method, path, err)
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: string(all)}, nil
}

// Query asks a data source one question of the last half minute, in the plugin's
// query model.
func (u *User) Query(ctx context.Context, source Source, model map[string]any) (Answer, error) {
	question := map[string]any{
		"refId": "A", "datasource": map[string]any{"uid": source.UID, "type": source.Type},
		"intervalMs": 1000, "maxDataPoints": 100,
	}
	for key, value := range model {
		question[key] = value
	}
	now := time.Now().UnixMilli()
	return u.Ask(ctx, http.MethodPost, "/api/ds/query", map[string]any{
		"queries": []any{question}, "from": fmt.Sprint(now - 30_000), "to": fmt.Sprint(now),
	})
}
