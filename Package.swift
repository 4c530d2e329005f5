// swift-tools-version: 6.2

import PackageDescription

/// The settings of every Swift target: one list, so that no target is built under laxer rules than another.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

/// Settings that optimise debug builds too, for what tests run most: they run hundreds of worlds and read thousands of files.
/// The thread sanitizer (`scripts/sanitize`) does without: optimised, empty values share an address, which looks like a race.
let optimised: [SwiftSetting] =
    Context.environment["LOCKSTEP_UNOPTIMISED"] != nil
    ? settings : settings + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// A library target under `folder`, in a folder of its own name.
func library(
    _ name: String, in folder: String = "Sources", _ dependencies: [Target.Dependency] = [],
    exclude: [String] = [], resources: [Resource] = [], _ settings: [SwiftSetting] = settings
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "\(folder)/\(name)", exclude: exclude,
        resources: resources, swiftSettings: settings)
}

/// A test target under `Tests/`.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = [],
    linked: [LinkerSetting] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport", "TestTraits"], path: "Tests/\(name)",
        exclude: exclude,
        resources: resources, swiftSettings: settings, linkerSettings: linked)
}

/// A system C library, found by pkg-config where it isn't where all are.
func system(_ name: String, pkgConfig: String? = nil, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// Where `make build` has put C++'s runtime as archives, which go into the programs as Swift's runtime does.
let archives: [LinkerSetting] =
    Context.environment["LOCKSTEP_ARCHIVES"].map { [.unsafeFlags(["-L\($0)"])] } ?? []

let package = Package(
    name: "Lockstep",
    products: [
        .executable(name: "focus", targets: ["focus"]),
        .executable(name: "focusd", targets: ["focusd"]),
    ],
    targets: [
        // The pure part: what a log means and how logs are synced. No I/O.
        library("FocusCore", [], optimised),
        library("FocusText", ["FocusCore"], optimised),
        library("FocusFormats", ["FocusCore", "FocusText"], optimised),
        library("FocusSync", ["FocusCore"], optimised),
        library("CommandLineKit", ["SystemKit"]),

        // The thin shells around C libraries.
        library("SystemKit"),
        library("SQLiteKit", ["SystemKit", "CSQLite"], optimised),
        library("PostgreSQLKit", ["SystemKit", "CPostgreSQL"]),
        library("FocusColumns", ["FocusCore", "SQLiteKit"], optimised),
        library("FocusStore", ["FocusCore", "FocusColumns", "SQLiteKit"], optimised),
        // A browser has the primitives and the TLS of BearSSL instead (scripts/check-portable).
        library(
            "FocusSeal", ["FocusCore", "SystemKit", "COpenSSL"], exclude: ["Primitives/BearSSL", "TLS"],
            optimised),
        library("FocusNet", ["FocusSync", "SystemKit", "CLibUV", "COpenSSL"]),
        library("FocusHTTP", ["FocusSync", "FocusNet", "SystemKit", "CMicroHTTPD"]),
        library("CursesKit", ["SystemKit", "CNCurses"]),
        library("DBusKit", ["FocusNet", "SystemKit", "CDBus"]),
        library("QRKit", ["SystemKit", "CQREncode"], exclude: ["Browser"]),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        system("CLibUV", pkgConfig: "libuv", apt: "libuv1-dev"),
        // These are opened where they are needed; pkg-config would have them linked.
        system("COpenSSL", apt: "libssl-dev"),
        system("CMicroHTTPD", apt: "libmicrohttpd-dev"),
        system("CPostgreSQL", apt: "libpq-dev"),
        // These modules declare the functions that are used, so that no headers are needed.
        system("CDBus", apt: "libdbus-1-3"),
        system("CQREncode", apt: "libqrencode4"),
        // pkg-config would give it flags that packages may not have.
        system("CNCurses", apt: "libncurses-dev"),

        // The programs. A laptop and its log, with no network. Folders `Browser` replace `Process` in a browser.
        library(
            "FocusDevice", in: "Client",
            [
                "FocusCore", "FocusText", "FocusFormats", "FocusSync", "FocusSeal", "FocusStore",
                "SystemKit",
            ], exclude: ["Browser"]),
        // Its link to a server, with no terminal.
        library(
            "FocusLink", in: "Client",
            [
                "FocusDevice", "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusStore", "SystemKit",
            ], exclude: ["Browser"]),
        // The way to the agent, the operations on a group, and the model that views follow.
        library(
            "FocusContact", in: "Client",
            [
                "FocusDevice", "FocusLink", "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusStore",
                "FocusNet", "SystemKit",
            ], exclude: ["Browser"]),
        // What the front ends share: the questions, documents and sentences of a laptop and its group.
        library(
            "FocusFront", in: "Client",
            [
                "FocusDevice", "FocusLink", "FocusContact", "FocusCore", "FocusText", "FocusSync",
                "FocusSeal", "FocusStore", "FocusNet", "CommandLineKit", "SystemKit",
            ], exclude: ["Browser"]),
        // The icon in the desktop's tray.
        library(
            "FocusTray", in: "Client",
            [
                "FocusDevice", "FocusContact", "FocusFront", "FocusCore", "FocusStore", "CommandLineKit",
                "DBusKit", "SystemKit",
            ]),
        // The agent.
        library(
            "FocusAgent", in: "Client",
            [
                "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusTray", "FocusCore",
                "FocusSync", "FocusStore", "FocusNet", "DBusKit", "SystemKit",
            ]),
        // The full screen.
        library(
            "FocusScreen", in: "Client",
            [
                "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusCore", "FocusText",
                "FocusSeal", "FocusStore", "FocusNet", "CommandLineKit", "CursesKit", "SystemKit",
            ]),
        // The page.
        library(
            "FocusPage", in: "Client",
            [
                "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusCore", "FocusText",
                "FocusFormats", "FocusSeal", "FocusStore", "FocusNet", "FocusHTTP", "CommandLineKit", "QRKit",
            ],
            // The page's files are part of the program: there is nothing to install beside it.
            resources: [.embedInCode("Assets")]),
        // A device in a browser, without the functions of its WebAssembly module (scripts/web).
        library(
            "FocusWeb", in: "Client",
            [
                "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusAgent", "FocusPage",
                "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusStore", "SQLiteKit",
            ], exclude: ["Assets", "Exports"]),
        // What is commanded.
        library(
            "FocusClient", in: "Client",
            [
                "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusAgent", "FocusScreen",
                "FocusPage", "FocusTray", "FocusCore", "FocusText", "FocusFormats", "FocusSync", "FocusSeal",
                "FocusStore", "FocusNet", "FocusHTTP", "CommandLineKit", "CursesKit", "DBusKit", "QRKit",
                "SystemKit",
            ]),
        .executableTarget(
            name: "focus", dependencies: ["FocusClient"], path: "Client/focus", swiftSettings: settings,
            linkerSettings: archives),
        // What the server stores: its database, its data folder with lock and keys, and its backups.
        library(
            "FocusServerStore", in: "Server",
            [
                "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusColumns", "SQLiteKit",
                "PostgreSQLKit", "SystemKit",
            ]),
        // Its decisions while it runs: writer, reader and connections, without sockets.
        library(
            "FocusServerCore", in: "Server",
            [
                "FocusServerStore", "FocusCore", "FocusSync", "FocusSeal", "FocusNet", "SystemKit",
            ]),
        // The shell around them: sockets, threads, metrics, health and backups.
        library(
            "FocusServing", in: "Server",
            [
                "FocusServerStore", "FocusServerCore", "FocusCore", "FocusSync", "FocusSeal",
                "SQLiteKit", "FocusNet", "FocusHTTP", "SystemKit",
            ]),
        // What its operator commands.
        library(
            "FocusServer", in: "Server",
            [
                "FocusServerStore", "FocusServerCore", "FocusServing", "FocusCore",
                "FocusText", "FocusSync", "FocusSeal", "SQLiteKit", "PostgreSQLKit", "FocusNet", "FocusHTTP",
                "CommandLineKit", "SystemKit",
            ]),
        .executableTarget(
            name: "focusd", dependencies: ["FocusServer"], path: "Server/focusd", swiftSettings: settings,
            linkerSettings: archives),

        // The simulator: the programs' own code with virtual time, network and disks.
        library(
            "Simulation", in: "Simulation",
            [
                "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusAgent", "FocusServerStore",
                "FocusServerCore", "FocusCore", "FocusText", "FocusNet", "FocusSync", "FocusSeal",
                "FocusStore", "FocusPage", "FocusWeb", "SQLiteKit", "PostgreSQLKit", "FocusColumns",
                "MemoryBrowser", "TestSupport",
            ], optimised),
        .executableTarget(
            name: "simulate", dependencies: ["Simulation"], path: "Simulation/simulate",
            swiftSettings: settings),

        // What is measured: `make bench`.
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "FocusClient", "FocusDevice", "FocusLink", "FocusContact", "FocusAgent", "FocusPage",
                "SystemKit", "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusNet", "FocusStore",
                "SQLiteKit", "FocusServerStore", "FocusServerCore", "TestSupport", "Adversary",
            ],
            path: "Benchmarks",
            exclude: ["counts.txt", "peers", "plots", "RESULTS.md", "SERVERS.md"],
            swiftSettings: settings),

        // What is done with each input of a fuzz target: `make fuzz` and FuzzRegressionTests.
        .target(
            name: "FuzzEntries",
            dependencies: [
                "FocusClient", "FocusFront", "FocusScreen", "FocusPage", "FocusServerStore",
                "FocusServerCore", "FocusServing", "FocusServer", "FocusCore", "FocusText", "FocusFormats",
                "FocusSync", "FocusSeal", "FocusNet", "FocusHTTP", "CommandLineKit", "SQLiteKit",
                "MemoryServer",
            ],
            path: "Fuzz/Entries", swiftSettings: settings),

        // What the tests share, and the tests: they mirror the sources.
        .target(
            name: "TestSupport", dependencies: ["FocusCore"], path: "Tests/Support", swiftSettings: optimised),
        // How tests are run, which only tests may say.
        .target(name: "TestTraits", path: "Tests/Traits", swiftSettings: settings),
        // A member of a group that means harm: for FaultTests and the benchmarks.
        library(
            "Adversary", in: "Tests",
            ["FocusCore", "FocusSync", "FocusSeal", "FocusNet", "TestSupport"]),
        // A whole server without threads and sockets, for fuzzing and for portable-peer.
        library(
            "MemoryServer", in: "Tests",
            ["FocusServerStore", "FocusServerCore", "FocusCore", "FocusSync", "SQLiteKit"]),
        // A browser's database, and its channel to the server, for devices in simulated worlds and tests.
        library("MemoryBrowser", in: "Tests", ["FocusWeb"], optimised),
        // What a program in WebAssembly is compared with (scripts/check-portable).
        .executableTarget(
            name: "portable-peer",
            dependencies: [
                "FocusDevice", "FocusLink", "FocusWeb", "FocusCore", "FocusText", "FocusSync", "FocusSeal",
                "FocusStore", "FocusServerCore", "SQLiteKit", "MemoryServer", "TestSupport",
            ],
            path: "Tests/PortablePeer", swiftSettings: settings),
        tests("FocusCoreTests", ["FocusCore"]),
        tests("FocusTextTests", ["FocusCore", "FocusText"], resources: [.copy("Fixtures")]),
        tests(
            "FocusFormatsTests", ["FocusCore", "FocusText", "FocusFormats"], exclude: ["Corpus", "Goldens"]),
        tests(
            "FocusSyncTests", ["FocusCore", "FocusSync", "FocusSeal"],
            exclude: ["Messages/Goldens", "Recorded/Sessions"]),
        tests("HouseRulesTests", ["CommandLineKit", "FocusClient", "FocusServer"]),
        tests("SystemKitTests", ["SystemKit"]),
        tests("CursesKitTests", ["CursesKit"]),
        tests(
            "CommandLineKitTests", ["CommandLineKit", "SystemKit"],
            exclude: ["Help/Goldens", "Manual/Goldens"]),
        tests("SQLiteKitTests", ["SQLiteKit"]),
        tests("PostgreSQLKitTests", ["ServerSupport", "PostgreSQLKit", "CPostgreSQL"]),
        tests("FocusColumnsTests", ["FocusCore", "FocusColumns", "SQLiteKit"]),
        tests("FocusStoreTests", ["FocusCore", "FocusStore", "SQLiteKit"]),
        tests("FocusSealTests", ["FocusCore", "FocusSeal"]),
        // Peers that break rules call OpenSSL themselves.
        tests(
            "FocusNetTests", ["FocusNet", "FocusSync", "SystemKit", "CLibUV", "COpenSSL"],
            linked: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        tests("FocusHTTPTests", ["FocusHTTP", "FocusNet"]),
        tests("DBusKitTests", ["DBusKit", "FocusNet", "SystemKit"]),
        tests("QRKitTests", ["QRKit"]),
        // A server's store and its writer with what a test puts in, and a server to connect to.
        library(
            "ServerSupport", in: "Tests",
            [
                "FocusServerStore", "FocusServerCore", "FocusServing", "FocusServer",
                "FocusCore",
                "FocusSync", "FocusSeal", "FocusNet", "SQLiteKit", "PostgreSQLKit", "CommandLineKit",
                "TestSupport",
            ]),
        tests(
            "FocusServerStoreTests",
            [
                "ServerSupport", "FocusServerStore", "FocusServerCore", "FocusServing",
                "FocusServer", "FocusCore", "FocusSync", "FocusSeal", "SQLiteKit", "PostgreSQLKit",
                "FocusNet", "CommandLineKit", "SystemKit",
            ]),
        tests(
            "FocusServerCoreTests",
            [
                "ServerSupport", "FocusServerStore", "FocusServerCore", "FocusCore",
                "FocusSync", "FocusSeal", "FocusNet", "SQLiteKit", "PostgreSQLKit",
            ]),
        tests(
            "FocusServingTests",
            [
                "ServerSupport", "FocusServerStore", "FocusServerCore", "FocusServing",
                "FocusServer", "FocusCore", "FocusText", "FocusSync", "FocusSeal", "SQLiteKit",
                "PostgreSQLKit", "FocusNet", "FocusHTTP",
                "CommandLineKit", "SystemKit",
            ]),
        tests(
            "FocusServerTests",
            [
                "ServerSupport", "FocusServerStore", "FocusServerCore", "FocusServing",
                "FocusServer", "FocusCore", "FocusText", "FocusSync", "FocusSeal", "SQLiteKit",
                "CommandLineKit",
            ]),
        // A laptop to run commands on, without a network.
        library(
            "ClientSupport", in: "Tests",
            [
                "FocusClient", "FocusDevice", "FocusLink", "FocusContact", "FocusAgent", "FocusScreen",
                "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusStore", "CommandLineKit",
                "SQLiteKit", "DBusKit", "SystemKit", "TestSupport",
            ]),
        tests(
            "FocusDeviceTests",
            [
                "ClientSupport", "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusAgent",
                "FocusClient", "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusStore",
                "CommandLineKit", "SQLiteKit", "SystemKit",
            ]),
        tests(
            "FocusLinkTests",
            [
                "ClientSupport", "FocusDevice", "FocusLink", "FocusFront", "FocusCore", "FocusText",
                "FocusSync", "FocusSeal", "FocusStore", "SQLiteKit", "CommandLineKit",
            ]),
        tests(
            "FocusContactTests",
            [
                "ClientSupport", "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusAgent",
                "FocusClient", "FocusCore", "FocusSync", "FocusSeal", "FocusStore", "FocusNet",
                "CommandLineKit", "SystemKit",
            ]),
        tests(
            "FocusFrontTests",
            [
                "ClientSupport", "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusClient",
                "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusStore", "FocusNet",
                "CommandLineKit", "SystemKit",
            ]),
        tests(
            "FocusTrayTests",
            [
                "ClientSupport", "FocusTray", "FocusDevice", "FocusContact", "FocusFront", "FocusCore",
                "FocusStore", "DBusKit",
            ]),
        tests(
            "FocusAgentTests",
            [
                "ClientSupport", "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusAgent",
                "FocusClient", "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusStore",
                "CommandLineKit", "DBusKit", "SystemKit",
            ]),
        tests(
            "FocusScreenTests",
            [
                "ClientSupport", "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusScreen",
                "FocusClient", "FocusCore", "FocusStore", "FocusText", "FocusSeal", "CursesKit",
                "SystemKit",
            ],
            exclude: ["Frames/Goldens"]),
        tests(
            "FocusPageTests",
            [
                "ClientSupport", "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusPage",
                "FocusClient", "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusStore", "FocusNet",
                "FocusHTTP", "CommandLineKit",
            ]),
        tests(
            "FocusClientTests",
            [
                "ClientSupport", "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusAgent",
                "FocusScreen", "FocusClient", "FocusCore", "FocusText", "FocusFormats", "FocusSync",
                "FocusSeal", "FocusStore", "FocusHTTP", "CommandLineKit", "QRKit", "SystemKit",
            ],
            exclude: ["Commands/Goldens", "Statistics/Goldens"]),
        tests("FuzzRegressionTests", ["FuzzEntries"]),
        tests(
            "SimulationTests",
            [
                "FocusDevice", "FocusLink", "FocusContact", "FocusFront", "FocusAgent", "SystemKit",
                "FocusCore", "FocusSeal", "FocusStore", "FocusSync", "SQLiteKit", "Simulation",
            ]),
        // Real processes, real TLS: they run the programs that were built beside them.
        library(
            "IntegrationSupport", in: "Tests",
            [
                "focus", "focusd", "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusNet",
                "TestSupport",
            ]),
        tests(
            "IntegrationTests",
            [
                "IntegrationSupport", "ServerSupport", "FocusCore", "FocusText", "FocusSeal", "FocusNet",
            ]),
        tests(
            "PageTests",
            [
                "IntegrationSupport", "ClientSupport", "FocusDevice", "FocusFront", "FocusPage", "FocusCore",
                "FocusText", "FocusStore", "CommandLineKit",
            ], exclude: ["Pictures"]),
        tests(
            "FocusWebTests",
            [
                "ClientSupport", "FocusWeb", "FocusPage", "FocusDevice", "MemoryBrowser", "MemoryServer",
                "FocusServerCore", "FocusCore", "FocusText", "FocusSeal", "CommandLineKit", "SQLiteKit",
                "QRKit",
            ]),
        tests("ShellTests", ["IntegrationSupport", "CommandLineKit"]),
        tests(
            "FaultTests",
            ["IntegrationSupport", "Adversary", "FocusCore", "FocusSync", "FocusSeal", "SQLiteKit"]),
        tests("SoakTests", ["IntegrationSupport"]),
        tests("WebTests", ["IntegrationSupport", "FocusCore", "FocusText", "FocusSeal"]),
    ]
)

// libFuzzer brings its own `main`, so its program links only where everything is built for it: `scripts/fuzz`.
if Context.environment["LOCKSTEP_FUZZERS"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzEntries"], path: "Fuzz/Runner",
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}

// With LOCKSTEP_TESTS, the package has only these test targets, and what they need.
if let wanted = Context.environment["LOCKSTEP_TESTS"]?.split(separator: " ").map(String.init) {
    var needed: Set<String> = []
    var open = wanted
    while let name = open.popLast() {
        guard needed.insert(name).inserted else { continue }
        for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            if case .byNameItem(let name, _) = dependency { open.append(name) }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { !needed.contains($0.name) }
} else {
    // They go on for as long as they are told to, or need the files that `make web` makes.
    package.targets.removeAll { ["SoakTests", "WebTests"].contains($0.name) }
}
