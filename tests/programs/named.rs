// SPDX-License-Identifier: BSD-3-Clause
// named.rs - Rust's kinds of names, each with a mark.
#![allow(named_asm_labels)]

mod sim {
    use std::arch::asm;

    pub struct Mesh<T>(pub T);

    impl<T: Copy> Mesh<T> {
        #[inline(never)]
        pub fn smooth(&self) -> T {
            unsafe { asm!(".globl mark_method", "mark_method: nop") };
            self.0
        }
    }

    pub trait Step {
        fn step(&self) -> u32;
    }

    impl Step for Mesh<u32> {
        #[inline(never)]
        fn step(&self) -> u32 {
            unsafe { asm!(".globl mark_trait", "mark_trait: nop") };
            inlined(self.0)
        }
    }

    #[inline(always)]
    fn inlined(x: u32) -> u32 {
        unsafe { asm!(".globl mark_inlined", "mark_inlined: nop") };
        x + 1
    }
}

fn main() {
    use sim::Step;
    let mesh = sim::Mesh(std::env::args().count() as u32);
    std::process::exit((mesh.smooth() + mesh.step() == 0) as i32);
}
