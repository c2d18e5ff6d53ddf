// Schemas of spaces: members, invites, joining, and what went wrong.
extension OpenAPIDocument {
    static let spaceSchemas = #"""
        "Space":{
         "type":"object","description":"A space of this node.",
         "properties":{
          "id":{"type":"string"},"name":{"type":"string"},"role":{"$ref":"#/components/schemas/Role"},
          "members":{"type":"integer"},"documents":{"type":"integer"},
          "sync":{"description":"In status only.","allOf":[{"$ref":"#/components/schemas/Sync"}]}},
         "required":["id","name","role","members","documents"]},
        "SpaceList":{
         "type":"object","description":"The spaces of this node.",
         "properties":{"spaces":{"type":"array","items":{"$ref":"#/components/schemas/Space"}}},
         "required":["spaces"]},
        "SpaceRequest":{
         "type":"object","description":"A space to make.",
         "properties":{"name":{"$ref":"#/components/schemas/SpaceName"}},"required":["name"],
         "additionalProperties":false},
        "Member":{
         "type":"object","description":"A device of a space.",
         "properties":{
          "device":{"$ref":"#/components/schemas/DeviceID"},"name":{"type":"string"},
          "role":{"$ref":"#/components/schemas/Role"},
          "addedBy":{"oneOf":[{"$ref":"#/components/schemas/Author"},{"type":"null"}]},
          "state":{"type":"string"}},
         "required":["device","name","role","addedBy","state"]},
        "MemberList":{
         "type":"object","description":"Who belongs to a space.",
         "properties":{"members":{"type":"array","items":{"$ref":"#/components/schemas/Member"}}},
         "required":["members"]},
        "Invite":{
         "type":"object","description":"An invite, without its secret.",
         "properties":{
          "id":{"type":"string"},"role":{"$ref":"#/components/schemas/Role"},
          "expires":{"type":"integer","description":"Seconds since 1970."},
          "state":{"enum":["open","spent","revoked","expired","burned"]}},
         "required":["id","role","expires","state"]},
        "InviteList":{
         "type":"object","description":"Invites to a space.",
         "properties":{"invites":{"type":"array","items":{"$ref":"#/components/schemas/Invite"}}},
         "required":["invites"]},
        "InviteRequest":{
         "type":"object","description":"An invite to make.",
         "properties":{
          "role":{"$ref":"#/components/schemas/Role"},
          "expiresSeconds":{"type":"integer","minimum":1,"maximum":2592000,"default":86400}},
         "required":["role"],"additionalProperties":false},
        "IssuedInvite":{
         "type":"object","description":"An invite that was made. Whoever has the token may join.",
         "properties":{"id":{"type":"string"},"token":{"type":"string"}},"required":["id","token"]},
        "JoinRequest":{
         "type":"object","description":"An invite to use.",
         "properties":{
          "token":{
           "type":"string","pattern":"^\\s*[Rr][Ee][Pp][Ll]1-[A-Za-z2-7]+\\s*$",
           "description":"As it was copied; case and space around it do not matter."},
          "name":{
           "description":"The local name; default: the creator's.",
           "allOf":[{"$ref":"#/components/schemas/SpaceName"}]}},
         "required":["token"],"additionalProperties":false},
        "JoinLine":{
         "description":"A line of the answer to a join; the last is the space or an error.",
         "oneOf":[
          {"$ref":"#/components/schemas/JoinStage"},{"$ref":"#/components/schemas/JoinedSpace"},
          {"$ref":"#/components/schemas/Error"}]},
        "JoinStage":{
         "type":"object","description":"What joining does now.","properties":{"stage":{"type":"string"}},
         "required":["stage"]},
        "JoinedSpace":{
         "type":"object","description":"Membership and keys are on disk.",
         "properties":{"space":{"$ref":"#/components/schemas/Space"}},"required":["space"]},
        "ForkList":{
         "type":"object","description":"Closed logs.",
         "properties":{"forks":{"type":"array","items":{"$ref":"#/components/schemas/Fork"}}},
         "required":["forks"]},
        "Fork":{
         "type":"object","description":"A log that was proved to go on in two ways.",
         "properties":{
          "replica":{"type":"string"},"device":{"type":["string","null"],"description":"Who wrote it."},
          "name":{"type":"string"},
          "closedAt":{"type":"integer","description":"Nothing from this sequence on counts."},
          "since":{"type":"integer","description":"Milliseconds since 1970."},
          "branch":{
           "type":["object","null"],"description":"What is held here beyond; it is void.",
           "properties":{
            "first":{"type":"integer"},"last":{"type":"integer"},
            "reissuedIn":{"type":["string","null"],"description":"The log it is written in again."},
            "reissued":{"type":"boolean","description":"All of it is held there."}},
           "required":["first","last","reissuedIn","reissued"]}},
         "required":["replica","device","name","closedAt","since","branch"]},
        "SkippedList":{
         "type":"object","description":"Changes that are held and not executed.",
         "properties":{"changes":{"type":"array","items":{"$ref":"#/components/schemas/SkippedChange"}}},
         "required":["changes"]},
        "SkippedChange":{
         "type":"object","description":"A change that is held and not executed.",
         "properties":{
          "change":{"type":"string"},"device":{"type":["string","null"]},"name":{"type":"string"},
          "reason":{"type":"string","enum":["quarantined","unreadable","newer-version"]},
          "since":{"type":"integer","description":"Milliseconds since 1970."},
          "documents":{"type":"array","items":{"type":"string"},"description":"They are shown without it."}},
         "required":["change","device","name","reason","since","documents"]}
        """#
}
