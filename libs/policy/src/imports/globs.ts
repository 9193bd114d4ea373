/** Questions about patterns in which `*` is any text and `?` any character: do two of them meet, does one hold the other? */

/** How much comparing is still allowed; when it is used up, patterns count as meeting. */
export interface GlobBudget {
  cells: number;
}

/** A trailing ` *` also stands for nothing at all, as in the systems that use these patterns. */
function loosened(glob: string): string {
  return glob.endsWith(' *') ? `${glob.slice(0, -2)}*` : glob;
}

/** False only when no text can match both. */
export function globsMeet(a: string, b: string, budget: GlobBudget = { cells: 100_000 }): boolean {
  const left = loosened(a);
  const right = loosened(b);
  if (!headsAgree(left, right)) return false;
  budget.cells -= left.length * right.length;
  if (budget.cells < 0) return true;
  let row = startRow(right);
  for (let i = 0; i < left.length; i += 1) {
    const unit = left.charAt(i);
    const next = [unit === '*' && row[0] === true];
    for (let j = 1; j <= right.length; j += 1) {
      next.push(reaches(unit, right.charAt(j - 1), next[j - 1] === true || row[j] === true, row[j - 1] === true));
    }
    row = next;
  }
  return row[right.length] === true;
}

/** The literal beginnings: one must be the beginning of the other. */
function headsAgree(a: string, b: string): boolean {
  const left = headOf(a);
  const right = headOf(b);
  return left.startsWith(right) || right.startsWith(left);
}

function headOf(glob: string): string {
  const end = glob.search(/[*?]/);
  return end === -1 ? glob : glob.slice(0, end);
}

/** Which prefixes of the pattern match nothing. */
function startRow(glob: string): boolean[] {
  const row = [true];
  for (let j = 0; j < glob.length; j += 1) row.push(glob[j] === '*' && row[j] === true);
  return row;
}

/** One cell of the product of both patterns: a star comes from beside, a pair of characters from the diagonal. */
function reaches(a: string, b: string, beside: boolean, diagonal: boolean): boolean {
  if (a === '*' || b === '*') return beside;
  return diagonal && (a === b || a === '?' || b === '?');
}

/** True only when every text that matches `inner` matches `outer`. */
export function globHolds(outer: string, inner: string): boolean {
  if (outer === '*' || outer === inner) return true;
  const prefix = outer.slice(0, -1);
  if (!outer.endsWith('*') || /[*?]/.test(prefix)) return false;
  return inner.startsWith(prefix) || (outer.endsWith(' *') && inner === prefix.slice(0, -1));
}
