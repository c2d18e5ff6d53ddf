// Schemas of spaces: members, invites, joining, and what went wrong.
extension OpenAPIDocument {
    static let spaceSchemas = #"""
        "Space":{
         "type":"object","description":"A space of this node.",
         "properties":{
          "id":{"type":"string"},"name":{"type":"string"},"role":{"$ref":"#/components/schemas/Role"},
          "members":{"type":"integer"},"documents":{"type":"integer"},
          "state":{"enum":["active","removed"],"description":"Of this device in it."},
          "sync":{"description":"In status only.","allOf":[{"$ref":"#/components/schemas/Sync"}]},
          "bootstrap":{
           "description":"In status only, while a base is being taken.",
           "allOf":[{"$ref":"#/components/schemas/Bootstrap"}]}},
         "required":["id","name","role","members","documents","state"]},
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
          "state":{"enum":["active","left","removed"]},
          "lastSeenMs":{"type":["integer","null"]},"behindChanges":{"type":["integer","null"]},
          "software":{"type":["string","null"]},
          "removedBy":{"$ref":"#/components/schemas/Author"},"removedMs":{"type":"integer"},
          "adminSince":{"type":"integer","description":"Milliseconds since 1970."}},
         "required":["device","name","role","addedBy","state","lastSeenMs","behindChanges","software"]},
        "RoleRequest":{
         "type":"object","description":"A role to give.",
         "properties":{"role":{"$ref":"#/components/schemas/Role"}},
         "required":["role"],"additionalProperties":false},
        "Removal":{
         "type":"object","description":"What came of removing a member, or would.",
         "properties":{
          "removed":{"$ref":"#/components/schemas/Author"},
          "void":{"type":"object","description":"Held here, and counting no more.",
           "properties":{"changes":{"type":"integer"},"documents":{"type":"integer"}},
           "required":["changes","documents"]},
          "rotated":{"type":["string","null"]},"members":{"type":"integer"}},
         "required":["removed","void","rotated","members"]},
        "KeyEpoch":{
         "type":"object","description":"Keys of a space, without their secrets.",
         "properties":{
          "id":{"type":"string","description":"Zeros for the first epoch."},
          "number":{"type":"integer"},"author":{"$ref":"#/components/schemas/Author"},
          "timestamp":{"type":"integer","description":"Milliseconds since 1970."},
          "good":{"type":"boolean"},"current":{"type":"boolean"}},
         "required":["id","number","author","timestamp","good","current"]},
        "KeyEpochList":{
         "type":"object","description":"Epochs of a space's keys.",
         "properties":{
          "epochs":{"type":"array","items":{"$ref":"#/components/schemas/KeyEpoch"}},
          "noneGoodSinceMs":{"type":["integer","null"],
           "description":"Since when none is good, as far as this node knows since its start, \#
        milliseconds since 1970; null while one is."}},
         "required":["epochs","noneGoodSinceMs"]},
        "KeyRotation":{
         "type":"object","description":"The epoch that began.",
         "properties":{"epoch":{"type":"string"}},"required":["epoch"]},
        "MemberList":{
         "type":"object","description":"Who belongs to a space.",
         "properties":{"members":{"type":"array","items":{"$ref":"#/components/schemas/Member"}}},
         "required":["members"]},
        "Invite":{
         "type":"object","description":"An invite, without its secret.",
         "properties":{
          "id":{"type":"string"},"role":{"$ref":"#/components/schemas/Role"},
          "expires":{"type":"integer","description":"Seconds since 1970."},
          "state":{"enum":["open","spent","revoked","expired","burned"],
           "description":"Revoked also when who issued it is no admin any more."},
          "spentBy":{"$ref":"#/components/schemas/Author"}},
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
