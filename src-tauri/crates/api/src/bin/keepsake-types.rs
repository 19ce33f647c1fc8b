//! Prints the TypeScript types of the API. `make types` writes them to `ui/src/api/schema.ts`, which is not in the repository.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    std::io::stdout().lock().write_all(keepsake_api::schema_ts().as_bytes())
}
