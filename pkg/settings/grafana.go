package settings

import (
	"strconv"
	"strings"
)

// The SDK asserts these keys to be texts and panics when a provisioning file
// holds a number or a boolean there.
var grafanaTexts = []string{
	"access", "url", "basicAuthUser", "serverName", "secureSocksProxyUsername",
	"sigV4Region", "sigV4AssumeRoleArn", "sigV4AuthType", "sigV4ExternalId", "sigV4Profile",
}

// The SDK takes these as false when they are of another type: a user who wrote
// "true" in quotes would lose a login or a certificate without a word.
var grafanaSwitches = []string{
	"basicAuth", "tlsAuth", "tlsAuthWithCACert", "tlsSkipVerify", "sigV4Auth", "oauthPassThru", "enableSecureSocksProxy",
}

// The SDK takes these as 0, which is no timeout at all, when they are of another type.
var grafanaNumbers = []string{
	"dialTimeout", "keepAlive", "httpKeepAlive", "httpTLSHandshakeTimeout", "httpExpectContinueTimeout",
	"httpMaxConnsPerHost", "httpMaxIdleConns", "httpMaxIdleConnsPerHost", "httpIdleConnTimeout",
}

// checkGrafanaKeys refuses wrong types of the keys that Grafana's HTTP settings
// share jsonData with. Values are not shown: they are not this package's to know.
func (r *reader) checkGrafanaKeys() {
	for _, key := range grafanaTexts {
		checkType[string](r, key, "write a text in quotes")
	}
	for _, key := range sortedKeys(r.fields) {
		if index, ok := strings.CutPrefix(key, "httpHeaderName"); ok {
			if _, err := strconv.Atoi(index); err == nil {
				checkType[string](r, key, "write the header's name in quotes")
			}
		}
	}
	for _, key := range grafanaSwitches {
		checkType[bool](r, key, "write true or false without quotes")
	}
	for _, key := range grafanaNumbers {
		if value, ok := r.fields[key]; ok && value != nil {
			if _, ok := integer(value); !ok {
				r.fail(key, "is of the wrong type: write a whole number")
			}
		}
	}
}

// checkType notes a fault when a key is there but no T. A null counts as a fault
// of texts too, because the SDK asserts its type like any other.
func checkType[T any](r *reader, key, remedy string) {
	value, ok := r.fields[key]
	if !ok {
		return
	}
	if _, ok := value.(T); !ok {
		r.fail(key, "is of the wrong type: %s, or remove it", remedy)
	}
}
