package kvcache

import (
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
)

// setLayout finds the layout of the KV dtype, of auto too where the config tells.
func (p *plan) setLayout(kvDtype string) error {
	name := kvDtype
	if name == "" {
		name = "auto"
		p.note("kvDtype is not set: auto is taken, as without --kv-cache-dtype.")
	}
	if name == "auto" {
		var err error
		if name, err = p.autoDtype(); err != nil {
			return err
		}
	} else if declared := p.model.DeclaredKV; declared != "" {
		p.note("The checkpoint declares a quantised KV cache (%s); kvDtype %s was given and is counted.", excerpt.Of(declared), name)
	}
	var err error
	if p.layout, err = layoutOf(name); err != nil {
		return err
	}
	p.noteLayout()
	return nil
}

// autoDtype is what the engines make of auto, as far as the config tells.
func (p *plan) autoDtype() (string, error) {
	if p.engine == engineSGLang && p.model.sparse() {
		return "", fieldError("kvDtype", "is auto, and SGLang then chooses bf16 or fp8 by the GPU for sparse MLA: give the one in its log")
	}
	switch p.model.DeclaredKV {
	case "":
	case "FP8":
		p.note("kvDtype auto is fp8 here: the checkpoint declares kv_cache_quant_algo FP8.")
		return "fp8", nil
	case "NVFP4":
		p.note("kvDtype auto is nvfp4 here: the checkpoint declares kv_cache_quant_algo NVFP4.")
		return "nvfp4", nil
	default:
		return "", fieldError("kvDtype", "is auto, and what engines make of the checkpoint's quantization_config (%s) is not known here: give the dtype in the engine's log", excerpt.Of(p.model.DeclaredKV))
	}
	switch p.model.Dtype {
	case "bfloat16", "float16":
		p.note("kvDtype auto is %s here, the checkpoint's dtype. Quantised weights do not make a quantised cache.", p.model.Dtype)
		return p.model.Dtype, nil
	case "":
		return "", fieldError("config.torch_dtype", "is missing, without which kvDtype auto means nothing: give kvDtype, or torch_dtype in the config")
	default:
		return "", fieldError("kvDtype", "is auto, and the config's dtype is %q, which engines convert each in its own way: give the dtype in the engine's log", excerpt.Of(p.model.Dtype))
	}
}

// onlyOn is the engine whose command line alone has the name, "" for both.
func onlyOn(dtype string) string {
	switch {
	case dtype == "fp8_inc", dtype == "nvfp4_4over6", strings.HasSuffix(dtype, "_per_token_head"), strings.HasPrefix(dtype, "turboquant_"):
		return engineVLLM
	case dtype == "mxfp8", dtype == "fp4_mx_block16", dtype == "fp4_e2m1":
		return engineSGLang
	}
	return ""
}

// noteLayout says what to know of the chosen layout.
func (p *plan) noteLayout() {
	if engine := onlyOn(p.layout.name); engine != "" && p.engine != "" && p.engine != engine {
		p.warn("kvDtype %s is a name of %s, not of %s.", p.layout.name, engine, p.engine)
	}
	switch {
	case p.layout.name == "mxfp8":
		p.warn("The scales of mxfp8 are taken as one byte per 32 elements, which was not confirmed: compare with the measured value.")
	case p.layout.bits == 8 && !p.layout.packed && p.layout.headExtra == 0 && p.layout.scaled == 0 && p.model.sparse():
		p.warn("One byte per element is counted for kvDtype %s. Engines turn it into the packed fp8_ds_mla (656 B for a latent of 576) for sparse MLA with most backends: give fp8_ds_mla where the log says so.", p.layout.name)
	}
}
