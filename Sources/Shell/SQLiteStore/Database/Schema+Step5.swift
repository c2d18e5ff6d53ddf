// Step 5 of the schema. No table changes: from here on a roster may hold removals and lower roles, which
// earlier programs judge by other rules, so that they must not open the database any more (decision 0169).

extension Schema {
    static let step5 = "SELECT 5;"
}
