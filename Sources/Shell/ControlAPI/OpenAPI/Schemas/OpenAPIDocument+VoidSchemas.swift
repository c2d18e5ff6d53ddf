// Schemas of what is held and has no effect.
extension OpenAPIDocument {
    static let voidSchemas = #"""
        "VoidCause":{
         "enum":["removed","demoted","not-admitted","forked","late","invalid"],
         "description":"Why a change has no effect."},
        "VoidLine":{
         "type":"object","description":"A change without effect.",
         "properties":{
          "change":{"$ref":"#/components/schemas/ChangeID"},
          "author":{"oneOf":[{"$ref":"#/components/schemas/Author"},{"type":"null"}]},
          "cause":{"$ref":"#/components/schemas/VoidCause"},
          "by":{"oneOf":[{"$ref":"#/components/schemas/Author"},{"type":"null"}]},
          "timestamp":{"type":"integer","description":"When it was written, by its author's clock."},
          "documents":{
           "type":"array","items":{"type":"string"},"description":"Those that it would have changed."},
          "adopted":{
           "oneOf":[{"$ref":"#/components/schemas/ChangeID"},{"type":"null"}],
           "description":"The change by which this node adopted it."},
          "adoptedElsewhere":{"type":"boolean","description":"Another device adopted it, as far as known."}},
         "required":[
          "change","author","cause","by","timestamp","documents","adopted","adoptedElsewhere"]},
        "Adoption":{
         "type":"object","description":"Which void changes: some, or all of a member, removed ones too.",
         "properties":{
          "changes":{
           "type":"array","minItems":1,"maxItems":4096,"items":{"$ref":"#/components/schemas/ChangeID"}},
          "member":{"type":"string","minLength":1}},
         "minProperties":1,"maxProperties":1,"additionalProperties":false},
        "AdoptionAnswer":{
         "type":"object","description":"What came of an adoption; each list names 10,000 at most.",
         "properties":{
          "adopted":{"type":"integer","minimum":0},
          "skipped":{"type":"array","items":{"$ref":"#/components/schemas/AdoptionSkip"}},
          "elsewhere":{
           "type":"array","items":{"$ref":"#/components/schemas/ChangeID"},
           "description":"Of the adopted, those that another device had adopted."}},
         "required":["adopted","skipped","elsewhere"]},
        "AdoptionSkip":{
         "type":"object",
         "description":"A change that was not adopted, or (partly) not wholly: what shows is newer, or \#
        would have been taken away unseen, or its place is gone.",
         "properties":{
          "change":{"$ref":"#/components/schemas/ChangeID"},
          "why":{"enum":[
           "adopted","not-held","not-void","invalid","newer-version","adoption","issued-again","incomplete",
           "too-large","nothing-left","newer","unseen","gone","partly-newer","partly-unseen",
           "partly-gone"]}},
         "required":["change","why"]}
        """#
}
