import Testing

@testable import FocusServing

@Suite struct MetricsTextTests {
    @Test("each metric has its description, its type and its value") func simple() {
        var text = MetricsText()
        text.counter("a_total", "How many.", 7)
        text.gauge("b_seconds", "How long.", -1.5)
        #expect(
            text.text == """
                # HELP a_total How many.
                # TYPE a_total counter
                a_total 7
                # HELP b_seconds How long.
                # TYPE b_seconds gauge
                b_seconds -1.5

                """)
    }

    @Test("characters that would end a help text or a label's value are escaped") func escaping() {
        var text = MetricsText()
        text.counters(
            "a_total", "A \\ and\na \"quote\".", by: "why", [("a \\ and\na \"quote\", é", 1), ("", 0)])
        #expect(
            text.text == #"""
                # HELP a_total A \\ and\na "quote".
                # TYPE a_total counter
                a_total{why="a \\ and\na \"quote\", é"} 1
                a_total{why=""} 0

                """#)
    }

    @Test(
        "numbers are written as Prometheus reads them",
        arguments: [
            (0, "0"), (-3, "-3"), (0.25, "0.25"), (1_763_661_600.5, "1763661600.5"), (1e30, "1e+30"),
            (.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"),
        ] as [(Double, String)])
    func numbers(_ value: Double, _ written: String) {
        var text = MetricsText()
        text.gauge("a", "A.", value)
        #expect(text.text.hasSuffix("\na \(written)\n"))
    }

    @Test("a histogram counts the values up to each bound, inclusive, and all values") func histogram() {
        var histogram = Histogram([0.5, 1])
        for value in [0.1, 0.5, 0.75, 3] { histogram.observe(value) }
        var text = MetricsText()
        text.histogram("a", "A.", histogram)
        #expect(
            text.text == """
                # HELP a A.
                # TYPE a histogram
                a_bucket{le="0.5"} 2
                a_bucket{le="1"} 3
                a_bucket{le="+Inf"} 4
                a_sum 4.35
                a_count 4

                """)
    }
}
