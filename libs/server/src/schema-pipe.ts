/** Checks what a controller's decorator names a schema for, and keeps every key of the value as it came. */
import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { DoorError, escapeForDisplay } from '@countersign/contracts';

const MAX_PROBLEMS = 20;

/**
 * Nest's own pipe strips `__proto__` from the value in place, which would change the arguments of a call after they were hashed;
 * this one changes nothing. An absent body counts as `{}`.
 */
@Injectable()
export class SchemaPipe implements PipeTransform {
  async transform(value: unknown, { schema, type }: ArgumentMetadata): Promise<unknown> {
    if (!schema) return value;
    const given = type === 'body' && (value === undefined || value === null) ? {} : value;
    const result = await schema['~standard'].validate(given);
    if (!result.issues) return result.value;
    const problems = result.issues.slice(0, MAX_PROBLEMS).map(({ path, message }) => ({
      path: (path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
      message: escapeForDisplay(message),
    }));
    throw new DoorError('request.invalid', undefined, { problems });
  }
}
