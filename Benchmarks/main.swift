var report = Report()
ReplayBenchmark.run(&report)
