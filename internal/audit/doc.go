// Package audit asks the databases of known faults about what the project is made
// of. It fails on a fault that the project can mend; where a database cannot be
// reached it says so and goes on, because a build has to work without the internet.
package audit
