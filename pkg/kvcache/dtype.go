package kvcache

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// plainDtype is a KV dtype without scales beside the elements.
type plainDtype struct {
	name  string
	width int64 // of an element, in bytes
}

var plainDtypes = []plainDtype{
	{"auto", 2},
	{"bf16", 2}, {"bfloat16", 2}, {"fp16", 2}, {"float16", 2}, {"half", 2},
	{"fp8", 1}, {"fp8_e4m3", 1}, {"fp8_e5m2", 1}, {"int8", 1},
	{"fp32", 4}, {"float32", 4},
}

// PlainDtypes are the KV dtypes that a geometry takes: formats with scales beside the
// elements need the model's config.
func PlainDtypes() []string {
	var names []string
	for _, d := range plainDtypes {
		names = append(names, d.name)
	}
	return names
}

// Dtypes are the KV dtypes by the names that the engines' command lines take.
func Dtypes() []string {
	names := []string{"auto"}
	for _, l := range layouts() {
		names = append(names, l.name)
	}
	return names
}

// choices lists names in a sentence.
func choices(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// elementBytes is the width of one cache element by the name that the engines'
// --kv-cache-dtype takes. The note is set where the name leaves the width open.
func elementBytes(dtype string) (width int64, note string, err error) {
	if dtype == "" {
		return 0, "", errors.New("kvDtype is missing: give the engine's --kv-cache-dtype, auto where it is not set")
	}
	if dtype == "auto" {
		note = `kvDtype "auto" is taken as 2 B per element (bf16 or fp16): set fp8 where the checkpoint or the engine stores the KV cache in 8 bits`
	}
	at := slices.IndexFunc(plainDtypes, func(d plainDtype) bool { return d.name == dtype })
	if at < 0 {
		return 0, "", fmt.Errorf("kvDtype %q is not known: use %s, or give bytesPerRequest instead", dtype, choices(PlainDtypes()))
	}
	return plainDtypes[at].width, note, nil
}
