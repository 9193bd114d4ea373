/** Keeps book of which parts of a call something allows. A part that nothing covers falls to the default. */
import type { ToolKind } from '@countersign/contracts';
import type { ShellPlan } from '../shell/plan.js';
import type { JudgedPath } from './evidence.js';
import type { Judgement } from './judgement.js';

/** How far a simple command is covered: not at all, by itself, or together with all that it runs. */
export type CallCover = 'none' | 'self' | 'deep';

/** The book. `tool` is the call as a whole, for tools without files and commands. */
export interface Cover {
  readonly calls: CallCover[];
  readonly paths: boolean[];
  tool: boolean;
}

/** An empty book for a judgement with so many commands and paths. */
export function openCover(calls: number, paths: number): Cover {
  return { calls: filled<CallCover>(calls, 'none'), paths: filled(paths, false), tool: false };
}

function filled<T>(count: number, value: T): T[] {
  const out: T[] = [];
  for (let at = 0; at < count; at += 1) out.push(value);
  return out;
}

/** Covers every part. */
export function coverAll(cover: Cover): void {
  cover.calls.fill('deep');
  cover.paths.fill(true);
  cover.tool = true;
}

/** One part of a call that nothing covers: what to show of it (null for the whole call), and what kind of thing it does. */
export interface Gap {
  readonly subject: string | null;
  readonly kind: ToolKind;
}

/** The parts that nothing covers. Operands are covered with their command; inner commands through their wrapper. */
export function gapsOf(judgement: Judgement): Gap[] {
  const { analysis, cover } = judgement;
  const gaps: Gap[] = [];
  const { plan } = analysis;
  if (plan !== null) addCalls(gaps, judgement, plan);
  const parts = addPaths(gaps, judgement);
  if (plan === null && parts === 0 && !cover.tool) gaps.push({ subject: null, kind: analysis.entry.kind });
  return gaps;
}

function addCalls(gaps: Gap[], judgement: Judgement, { calls }: ShellPlan): void {
  for (let number = 0; number < calls.length; number += 1) {
    const call = calls[number];
    if (call?.outer === -1 && !isCovered(judgement, number)) gaps.push({ subject: call.source, kind: 'command' });
  }
}

/** Adds the files; returns how many need a cover of their own. */
function addPaths(gaps: Gap[], { paths, cover }: Judgement): number {
  let parts = 0;
  for (let place = 0; place < paths.length; place += 1) {
    const path = paths[place];
    if (path === undefined || !isPart(path)) continue;
    parts += 1;
    if (cover.paths[place] !== true) gaps.push({ subject: path.use.text, kind: path.use.access });
  }
  return parts;
}

/** Operands belong to their command, guesses to their tool: neither needs a cover of its own. */
export function isPart(path: JudgedPath): boolean {
  return path.use.origin === 'argument' || path.use.origin === 'redirect';
}

function isCovered(judgement: Judgement, number: number): boolean {
  const call = judgement.analysis.plan?.calls[number];
  const own = judgement.cover.calls[number] ?? 'none';
  if (call === undefined) return false;
  if (own === 'deep') return true;
  if (call.wrapper === null) return own === 'self';
  const inner = call.inner.every((next) => isCovered(judgement, next));
  return inner && (own === 'self' || (call.wrapper.clear && call.inner.length > 0));
}
