/** The identities' door: who a person is on the channels. Nobody is found there by name or mailbox alone. */
import { Body, Controller, Delete, Inject, Param, Post } from '@nestjs/common';
import { DoorError, identityBodySchema, type IdentityBody } from '@countersign/contracts';
import type { Identity, Ledger } from '@countersign/ledger';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import { actorOf } from '../door/answerer.js';
import { LEDGER } from '../tokens.js';

/** All identities of the person, after the change. */
interface PersonIdentities {
  readonly personId: string;
  readonly identities: readonly Identity[];
}

@Controller('/v1/people/:id/identities')
export class IdentitiesController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  /** An identity that the person has already is no error. */
  @Post()
  async link(
    @CurrentPrincipal() who: Principal,
    @Param('id') personId: string,
    @Body({ schema: identityBodySchema }) identity: IdentityBody,
  ): Promise<PersonIdentities> {
    const { people } = this.ledger;
    const { tenantId } = who;
    if ((await people.get(tenantId, personId)) === null) throw new DoorError('person.unknown');
    const linked = await people.link({ ...identity, tenantId, personId, by: actorOf(who) });
    const owner = linked ? personId : (await people.byIdentity(tenantId, identity))?.id;
    if (owner !== personId) throw new DoorError('identity.taken');
    return this.identitiesOf(tenantId, personId);
  }

  @Delete(':provider/:externalId')
  async unlink(
    @CurrentPrincipal() who: Principal,
    @Param('id') personId: string,
    @Param('provider') provider: string,
    @Param('externalId') externalId: string,
  ): Promise<PersonIdentities> {
    const { tenantId } = who;
    if ((await this.ledger.people.get(tenantId, personId)) === null) throw new DoorError('person.unknown');
    const change = { tenantId, personId, provider, externalId, by: actorOf(who) };
    if (!(await this.ledger.people.unlink(change))) throw new DoorError('identity.unknown');
    return this.identitiesOf(tenantId, personId);
  }

  private async identitiesOf(tenantId: string, personId: string): Promise<PersonIdentities> {
    return { personId, identities: await this.ledger.people.identities(tenantId, personId) };
  }
}
