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
	Role      Role
	Model     string
	Engine    Engine
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
	buffer []byte
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
	for i, g := range c.Groups {
		s.groups = append(s.groups, newGroup(g, c.Seed, i, &s.clock, epoch))
	}
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

// Targets lists the endpoints: by group, prefill first.
func (s *Simulation) Targets() []Target {
	var targets []Target
	for _, g := range s.groups {
		for _, role := range []Role{Prefill, Decode} {
			for _, inst := range g.instances[role] {
				targets = append(targets, inst.target)
			}
		}
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
	inst := s.find(target.Name)
	if inst == nil {
		return fmt.Errorf("simulation: no instance is named %q: use one of Targets", target.Name)
	}
	if inst.down {
		return ErrDown
	}
	for _, scheduler := range inst.schedulers {
		scheduler.report.refresh()
	}
	s.buffer = inst.page.append(s.buffer[:0])
	if _, err := w.Write(s.buffer); err != nil {
		return fmt.Errorf("simulation: writing the page of %s: %w", target.Name, err)
	}
	return nil
}

func (s *Simulation) find(name string) *instance {
	for _, g := range s.groups {
		if inst := g.find(name); inst != nil {
			return inst
		}
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
