/** `GET /v1/permits/keys` and `POST /v1/permits/redeem`. */
import { Body, Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { redeemBodySchema, type RedeemBody } from '@countersign/contracts';
import type { PermitKeySet } from '@countersign/permits';
import { CurrentPrincipal, type Principal } from '@countersign/server';
import { PermitService, type RedeemedView } from './permit-service.js';

@Controller('v1/permits')
export class PermitsController {
  constructor(@Inject(PermitService) private readonly permits: PermitService) {}

  @Get('keys')
  keys(): PermitKeySet {
    return this.permits.keys;
  }

  @Post('redeem')
  @HttpCode(200)
  redeem(
    @Body({ schema: redeemBodySchema }) body: RedeemBody,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RedeemedView> {
    return this.permits.redeem(body, principal);
  }
}
