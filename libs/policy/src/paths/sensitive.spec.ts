import { describe, expect, it } from '@jest/globals';
import { meansSecret, sensitivityOf } from './sensitive.js';

const ROOTS = ['/work/app'];

describe('sensitive paths', () => {
  it.each([
    '/work/app/.env',
    '/work/app/x/.env.local',
    '/home/dev/.ssh/config',
    '/work/app/tls/server.key',
    '/home/dev/.aws/credentials',
    '/etc/shadow',
  ])('reading %s may leak', (path) => {
    expect(sensitivityOf(path, 'read', ROOTS)).toBe('secret');
  });

  it.each([
    '/work/app/.git/hooks/pre-commit',
    '/work/app/.claude/settings.local.json',
    '/work/app/.CLAUDE/settings.json',
    '/home/dev/.bashrc',
    '/work/app/.mcp.json',
    '/etc/hosts',
    '/work/app/.npmrc',
  ])('writing %s decides what runs, reading it does not', (path) => {
    expect(sensitivityOf(path, 'write', ROOTS)).toBe('control');
    expect(sensitivityOf(path, 'read', ROOTS)).toBeNull();
  });

  it.each(['/work/app/.env.example', '/work/app/src/environment.ts', '/work/app/keys.ts'])('%s is ordinary', (path) => {
    expect(sensitivityOf(path, 'write', ROOTS)).toBeNull();
  });

  it.each(['[.]env', '.[e]nv', '[i]d_*', '[ic]d_rsa', '*.pem', '.e*'])('%s means secrets', (wildcard) => {
    expect(meansSecret(wildcard)).toBe(true);
  });

  it.each(['*', '[a-z]*', '[!.]*', '[ab]*', '[[:alpha:]]*.ts', '[Rr]eadme.md'])('%s means none', (wildcard) => {
    expect(meansSecret(wildcard)).toBe(false);
  });

  it('does not count names above the root', () => {
    expect(sensitivityOf('/home/dev/.vscode/ext/a.ts', 'write', ['/home/dev/.vscode/ext'])).toBeNull();
    expect(sensitivityOf('/home/dev/.vscode/ext/.vscode/x', 'write', ['/home/dev/.vscode/ext'])).toBe('control');
  });
});
