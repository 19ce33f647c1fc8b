//! Tests that values are set and removed byte for byte in files of every layout.

use serde_json::json;

use super::*;

/// Sets `path` and compares the text, then removes it and compares with the original text.
fn check(before: &str, path: &[Step], value: &Value, expect: &str) {
    let after = set(before, path, value).unwrap_or_else(|fault| panic!("{before:?}: {fault:?}"));
    assert_eq!(after, expect, "{before:?}");
    assert_eq!(set(&after, path, value).unwrap(), after, "a second time changes nothing");
    let undone = remove(&after, path).unwrap();
    if !is_empty(before) {
        assert_eq!(undone, before, "undone");
    } else {
        assert!(is_empty(&undone), "{undone:?}");
    }
}

#[test]
fn an_entry_is_set_and_removed_to_the_byte() {
    let path = keys(&["servers", "k"]);
    let value = json!({ "command": "/k", "args": ["a", "b"] });
    let check = |before: &str, expect: &str| check(before, &path, &value, expect);
    let fresh = r#"{
  "servers": {
    "k": {
      "command": "/k",
      "args": ["a", "b"]
    }
  }
}"#;
    check("", &format!("{fresh}\n"));
    check("{}", fresh);
    check("{}\n", &format!("{fresh}\n"));
    // Other members, indented with a tab, and no newline at the end.
    check(
        "{\n\t\"a\": 1\n}",
        "{\n\t\"a\": 1,\n\t\"servers\": {\n\t\t\"k\": {\n\t\t\t\"command\": \"/k\",\n\t\t\t\"args\": [\"a\", \"b\"]\n\t\t}\n\
         \t}\n}",
    );
    // Comments and a trailing comma.
    check(
        r#"// top
{
    // before
    "servers": {
        "x": { "url": 1 }, // of x
        // last
    },
    "z": [1,],
}
"#,
        r#"// top
{
    // before
    "servers": {
        "x": { "url": 1 }, // of x
        "k": {
            "command": "/k",
            "args": ["a", "b"]
        },
        // last
    },
    "z": [1,],
}
"#,
    );
    check(
        r#"{
  "servers": {
    "x": 1 /* of x */ // too
    // last
  }
}
"#,
        r#"{
  "servers": {
    "x": 1, /* of x */ // too
    "k": {
      "command": "/k",
      "args": ["a", "b"]
    }
    // last
  }
}
"#,
    );
    // Nothing but comments around the root.
    check("// top\n{\n}\n", &format!("// top\n{}\n}}\n", &fresh[..fresh.len() - 2]));
    // An empty object that the person wrote is kept.
    check(
        r#"{
  "servers": {},
  "a": 1
}
"#,
        r#"{
  "servers": {"k": {"command": "/k", "args": ["a", "b"]}},
  "a": 1
}
"#,
    );
    check("{\"servers\": { }}", "{\"servers\": {\"k\": {\"command\": \"/k\", \"args\": [\"a\", \"b\"]} }}");
    check(
        r#"{
  "servers": {
  }
}"#,
        r#"{
  "servers": {"k": {"command": "/k", "args": ["a", "b"]}
  }
}"#,
    );
    check(
        r#"{
  "servers": {
    // none yet
  }
}"#,
        r#"{
  "servers": {
    // none yet
    "k": {
      "command": "/k",
      "args": ["a", "b"]
    }
  }
}"#,
    );
    // All on one line.
    check(
        "{\"a\":1}",
        r#"{"a":1, "servers": {
  "k": {
    "command": "/k",
    "args": ["a", "b"]
  }
}}"#,
    );
    check("{\"servers\":{\"x\":1}}", "{\"servers\":{\"x\":1, \"k\": {\"command\": \"/k\", \"args\": [\"a\", \"b\"]}}}");
    check("{\"servers\":{\"x\":1,}}", "{\"servers\":{\"x\":1, \"k\": {\"command\": \"/k\", \"args\": [\"a\", \"b\"]},}}");
    // Windows newlines.
    check(
        "{\r\n  \"a\": 1\r\n}\r\n",
        "{\r\n  \"a\": 1,\r\n  \"servers\": {\r\n    \"k\": {\r\n      \"command\": \"/k\",\r\n      \"args\": [\"a\", \
         \"b\"]\r\n    }\r\n  }\r\n}\r\n",
    );
    // The closing bracket on the line of the last member.
    check(
        "{\"a\": 1,\n \"servers\": {\"x\": 2}}",
        "{\"a\": 1,\n \"servers\": {\"x\": 2, \"k\": {\"command\": \"/k\", \"args\": [\"a\", \"b\"]}}}",
    );
}

#[test]
fn an_element_is_appended_and_removed_to_the_byte() {
    let path = [keys(&["hooks", "Stop"]), vec![Step::End]].concat();
    let check = |before: &str, index: usize, expect: &str| {
        let after = set(before, &path, &json!({ "a": [{ "b": 1 }] })).unwrap();
        assert_eq!(after, expect, "{before:?}");
        let place = [keys(&["hooks", "Stop"]), vec![Step::Index(index)]].concat();
        assert_eq!(remove(&after, &place).unwrap(), before, "undone");
    };
    check(
        "{\n  \"x\": 1\n}",
        0,
        r#"{
  "x": 1,
  "hooks": {
    "Stop": [
      {
        "a": [
          {
            "b": 1
          }
        ]
      }
    ]
  }
}"#,
    );
    check(
        r#"{
  "hooks": {
    "Stop": []
  }
}"#,
        0,
        r#"{
  "hooks": {
    "Stop": [{"a": [{"b": 1}]}]
  }
}"#,
    );
    check(
        "{\n  \"hooks\": {}\n}",
        0,
        r#"{
  "hooks": {"Stop": [
    {
      "a": [
        {
          "b": 1
        }
      ]
    }
  ]}
}"#,
    );
    check(
        r#"{
  "hooks": {
    "Stop": [
      { "own": 1 } // mine
    ]
  }
}"#,
        1,
        r#"{
  "hooks": {
    "Stop": [
      { "own": 1 }, // mine
      {
        "a": [
          {
            "b": 1
          }
        ]
      }
    ]
  }
}"#,
    );
}

#[test]
fn a_value_in_the_middle_is_removed_with_its_comma() {
    let path = keys(&["m", "k"]);
    let check = |before: &str, expect: &str| assert_eq!(remove(before, &path).unwrap(), expect, "{before:?}");
    check("{\"m\":{\"k\":1,\"b\":2}}", "{\"m\":{\"b\":2}}");
    check("{\"m\":{\"a\":0,\"k\":1,\"b\":2}}", "{\"m\":{\"a\":0,\"b\":2}}");
    check(
        r#"{"m":{
  "k":1,
  "b":2
}}"#, "{\"m\":{\n  \"b\":2\n}}",
    );
    check(
        r#"{"m":{
  "a":0,
  "k":1, // note
  "b":2
}}"#,
        r#"{"m":{
  "a":0, // note
  "b":2
}}"#,
    );
    check(
        r#"{"m":{
  "a":0,
  // of k
  "k":1
}}"#,
        r#"{"m":{
  "a":0
  // of k
}}"#,
    );
    check("{\"m\":{\"a\":0, // of a\n  \"k\":1, \"b\":2}}", "{\"m\":{\"a\":0, // of a\n   \"b\":2}}");
    check("{\"m\":{\"a\":0 // of a\n, \"k\":1}}", "{\"m\":{\"a\":0 // of a\n}}");
    check("{\"m\":{\"b\":2}}", "{\"m\":{\"b\":2}}");
    check("", "");
}

#[test]
fn a_value_that_is_there_is_replaced_alone() {
    let check = |before: &str, expect: &str| {
        assert_eq!(set(before, &keys(&["m", "k"]), &json!(["x", "y"])).unwrap(), expect, "{before:?}");
    };
    check("{\"m\": {\"k\": [1] /* c */}}", "{\"m\": {\"k\": [\"x\", \"y\"] /* c */}}");
    check(
        r#"{
  "m": {
    "k": [
      1
    ], // c
  }
}"#,
        r#"{
  "m": {
    "k": ["x", "y"], // c
  }
}"#,
    );
}

#[test]
fn what_is_no_such_object_is_refused() {
    let check = |text: &str, expect: &Fault| {
        assert_eq!(&set(text, &keys(&["m", "k"]), &json!(1)).unwrap_err(), expect, "{text:?}");
    };
    check("{\"m\": {", &Fault::Broken(1, 7));
    check(
        r#"{
  "m": {},
  x
}"#,
        &Fault::Broken(3, 3),
    );
    check("{'m': 1}", &Fault::Broken(1, 2));
    check("{\"a\": 1 \"b\": 2}", &Fault::Broken(1, 8));
    check("[1]", &Fault::unexpected("it does not hold an object"));
    check("// x\n", &Fault::unexpected("it holds comments alone"));
    check("{\"m\": 1}", &Fault::unexpected("what holds \"k\" is not an object"));
    assert!(set("{\"a\": 1, \"a\": 2}", &keys(&["m", "k"]), &json!(1)).is_ok(), "control: twice, and not on the way");
    check("{\"m\": {}, \"m\": {}}", &Fault::unexpected("it has the name \"m\" twice in one object"));
}
