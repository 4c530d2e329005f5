import IntegrationSupport
import TestTraits
import Testing

/// Tests the programs' completions, manuals and units with real tools: shells in a terminal, mandoc and
/// systemd.
@Suite("Shells", .serialized, .onThreadOfItsOwn)
struct ShellTests {}
