// Package packaging holds the tests of everything that ships beside the code:
// the plugin's description, containers, provisioning and the list of
// dependencies. No container engine is needed to find a wrong path or key.
package packaging
