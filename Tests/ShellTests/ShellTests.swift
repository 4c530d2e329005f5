import IntegrationSupport
import TestTraits
import Testing

/// What shells and `man` make of what the programs print for them: real shells, each at a terminal.
@Suite("Shells", .serialized, .onThreadOfItsOwn)
struct ShellTests {}
