package simulator

// sglangDrafts are SGLang's gauges of speculative decoding, set at its decode log lines
// from the rounds since the one before; they appear with the first such line.
type sglangDrafts struct {
	share, length             lazy
	rounds, drafted, accepted int // since the last line
}

func newSGLangDrafts(p *page, copies []labelSet) sglangDrafts {
	made := func(name, help string) lazy {
		return lazy{family: p.family(gauge, "sglang:"+name, help, nil), copies: copies}
	}
	return sglangDrafts{
		share:  made("spec_accept_rate", "The acceptance rate of speculative decoding."),
		length: made("spec_accept_length", "The average acceptance length of speculative decoding."),
	}
}

// verified is one round.
func (d *sglangDrafts) verified(drafted, accepted int) {
	d.rounds++
	d.drafted += drafted
	d.accepted += accepted
}

// logged sets the gauges. A length counts the token that the target model adds itself.
func (d *sglangDrafts) logged() {
	if d.rounds == 0 {
		return
	}
	d.share.get().set(float64(d.accepted) / float64(d.drafted))
	d.length.get().set(1 + float64(d.accepted)/float64(d.rounds))
	d.rounds, d.drafted, d.accepted = 0, 0, 0
}
