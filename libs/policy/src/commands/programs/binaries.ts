/** Programs that look into object files. */
import { printer, printerUnless, type ProgramFamily } from './program.js';

export const BINARY_PROGRAMS: ProgramFamily = {
  objdump: printer('-j -M -b -m -E --section --disassembler-options --start-address --stop-address'),
  readelf: printer('-x -p -w'),
  nm: printerUnless(/^--plugin/, '-t -f'),
  size: printer(),
  otool: printer('-s -p'),
  'c++filt': printer(),
  addr2line: printer('-e --exe'),
};
