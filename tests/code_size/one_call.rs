//! Calls one operator for one dtype and one type of index, so that the program contains as little
//! of the crate as it can. `tests/code_size/run` measures its size.

use std::process::ExitCode;

use scatter::{View, ViewMut, scatter_add};

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut data = [1.0_f32, 2.0, 3.0, 4.0, 5.0];
    let (index, src) = ([2_i64, 4], [8.0_f32, 8.0]);
    let mut input = ViewMut::new(&mut data, &[1, 5])?;
    scatter_add(&mut input, 1, &View::new(&index, &[1, 2])?, &View::new(&src, &[1, 2])?)?;
    Ok(ExitCode::from(u8::from(data != [1.0, 2.0, 11.0, 4.0, 13.0])))
}
