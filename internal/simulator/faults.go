package simulator

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Restart ends an instance at a time: its requests are lost, its counters begin
// anew, its lazy series are absent again.
type Restart struct {
	// Instance is the instance's name, as in the label.
	Instance string `yaml:"instance"`
	// At is the virtual time of the restart.
	At time.Duration `yaml:"at"`
	// Down is how long the instance neither serves nor answers a scrape.
	Down time.Duration `yaml:"down,omitempty"`
	// Times is how often it restarts, Every the time from one to the next; once if
	// left out.
	Times int           `yaml:"times,omitempty"`
	Every time.Duration `yaml:"every,omitempty"`
	// XID is the error that its first GPU reports each time, 0 for none; it shows
	// with devices.
	XID int `yaml:"xid,omitempty"`
}

// Straggler is a prefill instance with one GPU that is too hot: the others of the
// group wait for it.
type Straggler struct {
	// Instance is the instance's name, as in the label.
	Instance string `yaml:"instance"`
	// GPU is the number of the card.
	GPU int `yaml:"gpu,omitempty"`
	// From is the virtual time at which it begins.
	From time.Duration `yaml:"from,omitempty"`
	// Slowdown is how many times longer a prompt takes, over 1.
	Slowdown float64 `yaml:"slowdown"`
}

// LinkFault is congestion on the way from prefill to decode.
type LinkFault struct {
	// From and To bound it in virtual time; To is left out if it lasts.
	From time.Duration `yaml:"from,omitempty"`
	To   time.Duration `yaml:"to,omitempty"`
	// Slowdown is how many times longer a transfer takes, at least 1.
	Slowdown float64 `yaml:"slowdown"`
	// LossShare is the share of packets that are sent again; it shows with devices.
	LossShare float64 `yaml:"lossShare,omitempty"`
}

// congestion is the link's fault as of now, nil while there is none.
func (g *group) congestion() *LinkFault {
	if f := g.LinkFault; f != nil && g.clock.now >= f.From && (f.To == 0 || g.clock.now < f.To) {
		return f
	}
	return nil
}

// transferTime is how long a transfer takes that begins now.
func (g *group) transferTime(r *Request) time.Duration {
	if f := g.congestion(); f != nil {
		return time.Duration(float64(r.transfer) * f.Slowdown)
	}
	return r.transfer
}

// straggling is the straggler's fault if it is on the instance now.
func (i *instance) straggling() *Straggler {
	if s := i.group.Straggler; s != nil && s.Instance == i.target.Name && i.group.clock.now >= s.From {
		return s
	}
	return nil
}

// computeTime is how long the computation of a prompt takes that begins now.
func (g *group) computeTime(r *Request) time.Duration {
	if s := r.prefill.instance.straggling(); s != nil {
		return time.Duration(float64(r.compute) * s.Slowdown)
	}
	return r.compute
}

// planExpiry plans the end of prefill's patience with a KV cache that decode has not
// begun to fetch.
func (g *group) planExpiry(r *Request) {
	if g.KVLease == 0 {
		return
	}
	g.later(r, g.KVLease, func() {
		if r.TransferStart != never {
			return
		}
		r.prefill.report.expired(r)
		if r.decode != nil {
			r.FailedOn = Decode
			r.decode.report.transferFailed(r)
		}
		g.end(r, Expired)
	})
}

// checkFaults refuses faults that cannot be simulated; bad words the error.
func (g Group) checkFaults(bad func(name string, value any, remedy string) error) error {
	names := g.instanceNames()
	if r := g.Restart; r != nil {
		switch {
		case r.At <= 0 || r.Down < 0:
			return bad("restart", fmt.Sprintf("{at: %s, down: %s}", r.At, r.Down), "give a positive time, and a pause that is not negative")
		case r.Times < 0 || r.Times > 1 && r.Every <= r.Down:
			return bad("restart", fmt.Sprintf("{times: %d, every: %s}", r.Times, r.Every), "give every a duration that is longer than down")
		case !slices.Contains(names, r.Instance):
			return bad("restart.instance", fmt.Sprintf("%q", r.Instance), "use one of "+strings.Join(names, ", "))
		}
	}
	if s := g.Straggler; s != nil {
		prefill := names[:g.PrefillInstances.Count]
		switch {
		case !slices.Contains(prefill, s.Instance):
			return bad("straggler.instance", fmt.Sprintf("%q", s.Instance), "use one of "+strings.Join(prefill, ", "))
		case !(s.Slowdown > 1) || s.From < 0 || s.GPU < 0:
			return bad("straggler", fmt.Sprintf("{slowdown: %v, from: %s, gpu: %d}", s.Slowdown, s.From, s.GPU), "give a slowdown over 1, and a time and a card that are not negative")
		}
	}
	if f := g.LinkFault; f != nil && (!(f.Slowdown >= 1) || !(f.LossShare >= 0 && f.LossShare <= 1) || f.To != 0 && f.To <= f.From) {
		return bad("linkFault", fmt.Sprintf("{slowdown: %v, lossShare: %v, from: %s, to: %s}", f.Slowdown, f.LossShare, f.From, f.To), "give a slowdown of at least 1, a share from 0 to 1, and from < to")
	}
	if g.KVLease < 0 {
		return bad("kvLease", g.KVLease, "give a positive duration such as 30s, or leave it out")
	}
	return nil
}
