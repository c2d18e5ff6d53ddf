// Both stores lay a run's changes out beside it; they check the caller with the same words.

public import Bytes
import Causality

extension StoredRun {
    /// Traps unless `changes` are the run's, one after another from its first sequence and position, each
    /// with its documents. Stores call it before they append: a run with a wrong layout could never be read
    /// again.
    public func checkLayout(of records: [CommitRecord], touched: [[Key]]) {
        precondition(
            records.count == changes && touched.count == changes && changes > 0,
            "a run of \(changes) changes, \(records.count) records, \(touched.count) lists of documents")
        precondition(
            touched.allSatisfy { $0.count < 2 || Set($0).count == $0.count },
            "a change names a document twice")
        var (sequence, expected) = (first, position)
        for record in records {
            precondition(
                record.replica == replica && record.first == sequence && record.last >= sequence
                    && record.position == expected,
                "\(record) where \(replica):\(sequence) at \(expected) follows")
            (sequence, expected) = (record.last + 1, expected.next)
        }
        precondition(sequence == last + 1, "the changes end before \(sequence), the run ends with \(last)")
    }
}
