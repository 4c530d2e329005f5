/// A suite of the package's tests.
package struct TestSuite: Hashable, Sendable {
    /// The test target, which is also the folder.
    package let target: String
    /// The type that the tests are in, and the file.
    package let name: String

    /// What tells its tests from all others to `swift test --filter`.
    var filter: String { "^\(target)\\.\(name)/" }
}

extension Mutant.Finder {
    /// A suite of tests of a laptop and its log, without a network.
    static func device(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusDeviceTests", name: name))
    }

    /// A suite of tests of a laptop's link to a server.
    static func link(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusLinkTests", name: name))
    }

    /// A suite of tests of the agent.
    static func agent(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusAgentTests", name: name))
    }

    /// A suite of tests of what is commanded.
    static func client(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusClientTests", name: name))
    }

    /// A suite of tests of the server's files.
    static func serverFiles(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusServerFilesTests", name: name))
    }

    /// A suite of tests of the server's writer and its reader.
    static func serverStore(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusServerStoreTests", name: name))
    }

    /// A suite of tests of the server's writer and its reader.
    static func writer(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusWriterTests", name: name))
    }

    /// A suite of tests of what the server serves.
    static func serving(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusServingTests", name: name))
    }

    /// A suite of tests of operators' commands.
    static func command(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusServerTests", name: name))
    }

    /// A suite of tests of what a log means.
    static func core(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusCoreTests", name: name))
    }

    /// A suite of tests of the sessions and what they say.
    static func sync(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusSyncTests", name: name))
    }

    /// A suite of tests of sealing, keys and invites.
    static func seal(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusSealTests", name: name))
    }

    /// A suite of tests of a laptop's log.
    static func store(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusStoreTests", name: name))
    }

    /// A suite of tests of loops and connections.
    static func net(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "FocusNetTests", name: name))
    }

    /// A suite of stories in simulated worlds.
    static func story(_ name: String) -> Mutant.Finder {
        .tests(TestSuite(target: "SimulationTests", name: name))
    }
}
