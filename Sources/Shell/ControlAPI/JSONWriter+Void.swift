// What came of adopting void changes, as JSON.

import Bytes
import Causality
import JSON
import Node

extension JSONWriter {
    mutating func adoption(_ report: AdoptionReport) {
        object {
            $0.member("adopted", report.adopted)
            $0.list("skipped", report.skipped) { writer, skip in
                writer.object {
                    $0.member("change", skip.change.description)
                    $0.member("why", skip.why.name)
                }
            }
            $0.list("elsewhere", report.elsewhere) { $0.string($1.description) }
        }
    }
}
