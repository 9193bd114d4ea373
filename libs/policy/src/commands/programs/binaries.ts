/** Programs that look into object files. */
import { OPTIONS_FILE, printer, printerUnless, type ProgramFamily } from './program.js';

export const BINARY_PROGRAMS: ProgramFamily = {
  objdump: printerUnless(
    OPTIONS_FILE,
    '-j -M -b -m -E --section --disassembler-options --start-address --stop-address',
  ),
  readelf: printerUnless(OPTIONS_FILE, '-x -p -w'),
  nm: printerUnless(OPTIONS_FILE, '-t -f'),
  size: printerUnless(OPTIONS_FILE),
  otool: printer('-s -p'),
  'c++filt': printerUnless(OPTIONS_FILE),
  addr2line: printerUnless(OPTIONS_FILE, '-e --exe'),
};
