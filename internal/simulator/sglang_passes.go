package simulator

import "time"

// sglangPasses counts forward passes by whether a CUDA graph ran them; nothing without
// families.
type sglangPasses struct {
	graph, plain, prompt lazy
	began                time.Duration // of the decode pass that is counted
}

func newSGLangPasses(p *page, copies []labelSet) sglangPasses {
	made := func(mode string) lazy {
		return lazy{
			family: p.family(counter, "sglang:cuda_graph_passes_total", "Total number of forward passes, by mode.", nil),
			copies: extend(copies, "mode", mode),
		}
	}
	return sglangPasses{graph: made("decode_cuda_graph"), plain: made("decode_none"), prompt: made("prefill_none")}
}

// prefill: prompts have many lengths, so no graph is captured for them.
func (c *sglangPasses) prefill() {
	if c.prompt.family != nil {
		c.prompt.get().add(1)
	}
}

// decode is told each token; tokens within the duration of a step are of one pass. A
// graph runs it if one was captured for so large a batch.
func (c *sglangPasses) decode(s *scheduler, r *Request) {
	if c.graph.family == nil || r.LastToken-c.began < r.step {
		return
	}
	c.began = r.LastToken
	pass := &c.plain
	if s.in(decodeRunning) <= s.instance.group.CUDAGraphBatch {
		pass = &c.graph
	}
	pass.get().add(1)
}
