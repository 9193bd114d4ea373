/** The keys' door: keys that belong to no person, such as agents', and the end of any key. */
import { Body, Controller, Delete, Inject, Param, Post } from '@nestjs/common';
import { DoorError, modeSchema, plainText, RIGHTS, rightSchema, roleSchema } from '@countersign/contracts';
import type { Ledger } from '@countersign/ledger';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import { z } from 'zod';
import { actorOf } from '../door/answerer.js';

import { LEDGER } from '../tokens.js';
import { newKeyAnswer, type NewKeyAnswer } from './key-answer.js';

const path = z.string().min(1).max(4_096).startsWith('/', 'must be an absolute path');
const keyBodySchema = z
  .object({
    role: roleSchema,
    label: plainText(200).optional(),
    policy: z.string().min(1).max(256).optional(),
    mode: modeSchema.optional(),
    roots: z.array(path).max(64).optional(),
    home: path.optional(),
    sameHost: z.boolean().optional(),
    rights: z.array(rightSchema).max(RIGHTS.length).optional(),
  })
  .strict();
type KeyBody = z.infer<typeof keyBodySchema>;

@Controller('/v1/keys')
export class KeysController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Post()
  async add(@CurrentPrincipal() who: Principal, @Body({ schema: keyBodySchema }) body: KeyBody): Promise<NewKeyAnswer> {
    const { tenantId } = who;
    if (body.policy !== undefined && (await this.ledger.policies.current(tenantId, body.policy)) === null) {
      throw new DoorError('policy.unknown');
    }
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    return newKeyAnswer(await this.ledger.keys.create({ role: body.role, ...given, tenantId, by: actorOf(who) }));
  }

  @Delete(':id')
  async revoke(@CurrentPrincipal() who: Principal, @Param('id') keyId: string): Promise<{ id: string }> {
    const revoked = await this.ledger.keys.revoke({ tenantId: who.tenantId, keyId, by: actorOf(who) });
    if (!revoked) throw new DoorError('key.unknown');
    return { id: keyId };
  }
}
