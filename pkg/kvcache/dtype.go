package kvcache

import (
	"errors"
	"fmt"
)

const dtypeChoices = "auto, bf16, bfloat16, fp16, float16, half, fp8, fp8_e4m3, fp8_e5m2, int8, fp32 or float32"

// elementBytes is the width of one cache element by the name that the engines'
// --kv-cache-dtype takes. The note is set where the name leaves the width open.
func elementBytes(dtype string) (width int64, note string, err error) {
	switch dtype {
	case "auto":
		return 2, `kvDtype "auto" is taken as 2 B per element (bf16 or fp16): set fp8 where the checkpoint or the engine stores the KV cache in 8 bits`, nil
	case "bf16", "bfloat16", "fp16", "float16", "half":
		return 2, "", nil
	case "fp8", "fp8_e4m3", "fp8_e5m2", "int8":
		return 1, "", nil
	case "fp32", "float32":
		return 4, "", nil
	case "":
		return 0, "", errors.New("kvDtype is missing: give the engine's --kv-cache-dtype, auto where it is not set")
	default:
		return 0, "", fmt.Errorf("kvDtype %q is not known: use %s, or give bytesPerRequest instead", dtype, dtypeChoices)
	}
}
