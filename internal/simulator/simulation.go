package simulator

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// Target is one endpoint: an instance with the labels a scrape gives it.
type Target struct {
	// Name is the value of the label instance, Job that of job.
	Name, Job string
	// Role, Model and Engine are empty where the target is no engine.
	Role   Role
	Model  string
	Engine Engine
}

// Labels are the target labels of a scrape.
func (t Target) Labels() map[string]string {
	return map[string]string{"instance": t.Name, "job": t.Job}
}

// Simulation is a cluster at a point of virtual time. Its methods may be called
// concurrently.
type Simulation struct {
	mu     sync.Mutex
	clock  clock
	groups []*group
	// endpoints are the targets in the order in which they are listed.
	endpoints []endpoint
	buffer    []byte
}

// New prepares a cluster at virtual time zero. An error names the field of the
// description, its value and what to do.
//
// Virtual time zero is wall-clock time epoch; only the _created series show it.
func New(c Cluster, epoch time.Time) (*Simulation, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	s := &Simulation{}
	front := newGateway(c.Gateway, &s.clock, epoch)
	for i, g := range c.Groups {
		made := newGroup(g, c.Seed, i, &s.clock, front, epoch)
		s.groups = append(s.groups, made)
		s.endpoints = append(s.endpoints, made.endpoints()...)
	}
	s.endpoints = append(s.endpoints, s.addStores(c, epoch)...)
	s.endpoints = append(s.endpoints, front.endpoints()...)
	return s, nil
}

// Now is the present virtual time since the start.
func (s *Simulation) Now() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock.now
}

// AdvanceTo lets the cluster run until the virtual time t since the start. Time
// does not run backwards.
func (s *Simulation) AdvanceTo(t time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t < s.clock.now {
		return fmt.Errorf("simulation: cannot go back from %s to %s", s.clock.now, t)
	}
	s.clock.advance(t)
	return nil
}

// Targets lists the endpoints: by group the engines, prefill first, then their
// hosts' exporters; then the stores, the gateway last.
func (s *Simulation) Targets() []Target {
	targets := make([]Target, len(s.endpoints))
	for i, e := range s.endpoints {
		targets[i] = e.target
	}
	return targets
}

// Write advances to t and writes the target's page as it is then, in the
// Prometheus text format 0.0.4. An instance which is restarting has no page:
// the error is [ErrDown].
func (s *Simulation) Write(w io.Writer, target Target, t time.Duration) error {
	if err := s.AdvanceTo(t); err != nil {
		return err
	}
	return s.writeNow(w, target)
}

// ErrDown is the answer of an instance which is restarting.
var ErrDown = errors.New("simulation: the instance is down")

func (s *Simulation) writeNow(w io.Writer, target Target) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.endpoints, func(e endpoint) bool { return e.target.Name == target.Name })
	if i < 0 {
		return fmt.Errorf("simulation: no instance is named %q: use one of Targets", target.Name)
	}
	if s.endpoints[i].down() {
		return ErrDown
	}
	s.endpoints[i].refresh()
	s.buffer = s.endpoints[i].page().append(s.buffer[:0])
	if _, err := w.Write(s.buffer); err != nil {
		return fmt.Errorf("simulation: writing the page of %s: %w", target.Name, err)
	}
	return nil
}

// Forget drops what the truth knows of requests which ended before t, so that a
// long run does not grow.
func (s *Simulation) Forget(t time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.groups {
		g.requests = slices.DeleteFunc(g.requests, func(r *Request) bool {
			return r.Outcome != Open && r.Ended < t
		})
	}
}
