// Measures what the project promises, and reports missed goals: `make bench`. Arguments name benchmarks to
// run instead of all; with `adversary`, arguments can also name attacks, evasions and floods.

import Adversary

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// Commands that other programs run. They print only figures, or nothing.
let commands: [String: (ArraySlice<String>) throws -> Void] = [
    // Work for which `make counts` counts instructions and allocations.
    "count": CountedWork.run,
    // The other commands are for `scripts/bench --peers`.
    "scripts": LoadScripts.run, "invites": ManyInvites.run, "merging": MergeWork.run,
    "events": ReplayingWork.export, "replaying": ReplayingWork.run, "pressing": PressBenchmark.runElsewhere,
]
if let command = CommandLine.arguments.dropFirst().first.flatMap({ commands[$0] }) {
    try command(CommandLine.arguments.dropFirst(2))
    exit(0)
}

let programs = Programs()
var report = Report()
let benchmarks: [(name: String, run: (inout Report) throws -> Void)] = [
    ("replay", { ReplayBenchmark.run(&$0) }),
    ("statistics", { StatisticsBenchmark.run(&$0) }),
    ("press", { try PressBenchmark.run(&$0, programs) }),
    ("device", { try DeviceBenchmark.run(&$0, programs) }),
    ("browser", { try BrowserBenchmark.run(&$0, programs) }),
    ("first-sync", { try FirstSyncBenchmark.run(&$0, programs) }),
    ("merge", { try MergeBenchmark.run(&$0, programs) }),
    ("singly", { try MergeBenchmark.runSingly(&$0, programs) }),
    ("restart", { try RestartBenchmark.run(&$0, programs) }),
    ("status", { try StatusBenchmark.run(&$0, programs) }),
    ("adversary", { try AdversaryBenchmark.run(&$0, programs, attacks, evasions, floods) }),
]
let arguments = CommandLine.arguments.dropFirst()
let wanted = arguments.filter {
    Attack(rawValue: $0) == nil && Evasion(rawValue: $0) == nil && Flood(rawValue: $0) == nil
}
let attacks = arguments.compactMap(Attack.init)
let evasions = arguments.compactMap(Evasion.init)
let floods = arguments.compactMap(Flood.init)
for benchmark in benchmarks where wanted.isEmpty || wanted.contains(benchmark.name) {
    do {
        try benchmark.run(&report)
    } catch {
        report.note("\(benchmark.name) failed: \(error)")
        report.fail()
    }
}
report.end()
