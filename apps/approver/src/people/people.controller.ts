/** The people's door: who may answer, read or administer, and the keys they hold. */
import { Body, Controller, Get, Inject, Param, Post } from '@nestjs/common';
import { DoorError, personBodySchema, plainText, RIGHTS, rightSchema } from '@countersign/contracts';
import type { Identity, Ledger, PersonView } from '@countersign/ledger';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import { z } from 'zod';
import { actorOf } from '../door/answerer.js';

import { LEDGER } from '../tokens.js';
import { newKeyAnswer, type NewKeyAnswer } from './key-answer.js';

const personKeyBodySchema = z.object({
  role: z.enum(['approver', 'auditor', 'admin']).default('approver'),
  label: plainText(200).optional(),
  rights: z.array(rightSchema).max(RIGHTS.length).default([]),
});
type PersonBody = z.infer<typeof personBodySchema>;
type PersonKeyBody = z.infer<typeof personKeyBodySchema>;

/** A person as admins see them. */
interface PersonWithIdentities extends PersonView {
  readonly identities: readonly Identity[];
}

@Controller('/v1/people')
export class PeopleController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Get()
  async list(@CurrentPrincipal() who: Principal): Promise<{ items: PersonWithIdentities[]; next: null }> {
    const { tenantId } = who;
    const [people, identities] = await Promise.all([
      this.ledger.people.list(tenantId),
      this.ledger.people.identitiesOfAll(tenantId),
    ]);
    return { items: people.map((one) => ({ ...one, identities: identities.get(one.id) ?? [] })), next: null };
  }

  @Post()
  async add(
    @CurrentPrincipal() who: Principal,
    @Body({ schema: personBodySchema }) body: PersonBody,
  ): Promise<PersonView> {
    const made = await this.ledger.people.create({ ...body, tenantId: who.tenantId, by: actorOf(who) });
    if (made === null) throw new DoorError('person.exists');
    return made;
  }

  /** A person's key never has a role that the person does not have. */
  @Post(':id/keys')
  async addKey(
    @CurrentPrincipal() who: Principal,
    @Param('id') personId: string,
    @Body({ schema: personKeyBodySchema }) body: PersonKeyBody,
  ): Promise<NewKeyAnswer> {
    const person = await this.ledger.people.get(who.tenantId, personId);
    if (person === null) throw new DoorError('person.unknown');
    if (!person.roles.includes(body.role)) {
      throw new DoorError('request.invalid', `\`${person.name}\` does not have the role \`${body.role}\``);
    }
    const label = body.label ?? person.name;
    return newKeyAnswer(
      await this.ledger.keys.create({
        tenantId: who.tenantId,
        role: body.role,
        personId,
        label,
        rights: body.rights,
        by: actorOf(who),
      }),
    );
  }
}
