package settings

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsReadIsWhatIsDeclared(t *testing.T) {
	declared := func(stored reflect.Type) []string {
		var names []string
		for i := range stored.NumField() {
			name, _, _ := strings.Cut(stored.Field(i).Tag.Get("json"), ",")
			names = append(names, name)
		}
		return names
	}
	r := &reader{}
	r.settings("")
	require.ElementsMatch(t, declared(reflect.TypeFor[Stored]()), r.read)
	require.ElementsMatch(t, declared(reflect.TypeFor[StoredRoles]()), roleNames)
}
